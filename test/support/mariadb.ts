import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { portOfItsOwn } from "./ports.ts";
import { type PostgresServer, packageFolder } from "./postgres.ts";

/** The path of a MariaDB program, on the PATH or where Debian installs it; undefined if it is not installed. */
const find = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** Whether a MariaDB server can be started on this machine, and a client can connect to it. */
export const hasMariadb = (): boolean =>
  ["mariadbd", "mariadb-install-db", "mariadb-dump"].every(find) && packageFolder("mysql2") !== undefined;

/** A server as for Postgres. Its project has mysql2, its database is `shop`, and a dump contains all tables. */
export type MariadbServer = PostgresServer;

/** The files of an empty server, in a folder that this user's test runs share, because creating them takes seconds. */
function emptyServer(folder: string): string {
  const [version] = /\d[\w.]*/.exec(
    execFileSync(find("mariadbd")!, ["--version"], { encoding: "utf8" }).slice(8),
  )!;
  const shared = join(tmpdir(), `sandglass-tests-mariadb-${version}-${userInfo().uid}`);
  // The system may have deleted old files, so check for one of them.
  if (existsSync(join(shared, "ibdata1"))) return shared;
  const made = join(folder, "made");
  execFileSync(
    find("mariadb-install-db")!,
    ["--no-defaults", `--datadir=${made}`, `--user=${userInfo().username}`, "--skip-test-db"],
    { stdio: "ignore" },
  );
  try {
    renameSync(made, shared);
    return shared;
  } catch {
    // Another worker has created the folder in the meantime.
    return made;
  }
}

const USER = `create user if not exists shop@'%' identified by 'secret';
grant all on *.* to shop@'%' with grant option;
create database if not exists shop character set utf8mb4;
`;

/**
 * Starts a MariaDB server with an empty database.
 * @param options options for the server
 */
export async function startMariadb(...options: string[]): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), "mariadb-"));
  const [data, init] = [join(folder, "data"), join(folder, "init.sql")];
  writeFileSync(init, USER);
  const port = await portOfItsOwn();
  execFileSync("cp", ["-a", emptyServer(folder), data]);
  const server = spawn(
    find("mariadbd")!,
    [
      ...["--no-defaults", `--datadir=${data}`, `--user=${userInfo().username}`, `--init-file=${init}`],
      ...[`--port=${port}`, "--bind-address=127.0.0.1", `--socket=${join(folder, "socket")}`],
      // Files of other servers may have the same names, so use a separate folder.
      `--tmpdir=${folder}`,
      ...["--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M"],
      ...options,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  await new Promise<void>((resolve, reject) => {
    let output = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("ready for connections")) resolve();
    });
    server.once("exit", () => reject(new Error(`MariaDB has not started: ${output}`)));
  });
  server.stderr.resume();
  const project = join(folder, "project");
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(packageFolder("mysql2")!, join(project, "node_modules/mysql2"));
  const url = `mysql://shop:secret@127.0.0.1:${port}/shop`;
  const pool = createRequire(import.meta.url)("mysql2/promise").createPool({
    ...{ uri: url, multipleStatements: true, connectionLimit: 1 },
  });
  return {
    ...{ project, url },
    query: async (text) => (await pool.query(text))[0],
    async create(name) {
      await pool.query(`create database ${name}`);
      return url.replace(/\/shop$/, `/${name}`);
    },
    dump(of) {
      const { port, pathname } = new URL(of);
      const args = ["--no-defaults", "-h127.0.0.1", `-P${port}`, "-ushop", "-psecret", "--skip-dump-date"];
      return execFileSync(
        find("mariadb-dump")!,
        [...args, "--routines", "--events", "--triggers", "--skip-extended-insert", pathname.slice(1)],
        { encoding: "utf8", maxBuffer: 2 ** 26 },
      );
    },
    async close() {
      await pool.end();
      server.kill("SIGTERM");
      await new Promise((resolve) => server.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
