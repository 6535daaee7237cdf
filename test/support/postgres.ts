import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { unlessThrown } from "../../src/runtime/unless-thrown.ts";
import { portOfItsOwn } from "./ports.ts";

const DEBIAN = "/usr/lib/postgresql";

/**
 * The folder with the Postgres programs, on the PATH or where Debian installs them; undefined if they are not
 * installed.
 */
function programs(...needed: string[]): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((one) => join(DEBIAN, one, "bin")) : [];
  return [...(process.env.PATH ?? "").split(delimiter), ...versions].find((folder) =>
    needed.every((name) => existsSync(join(folder, name))),
  );
}

/** The path of a Postgres program, which must be installed. */
export const programOf = (name: string): string => join(programs(name)!, name);

/** The folder of a package; undefined if it is not installed. */
export const packageFolder = (name: string): string | undefined =>
  unlessThrown(() => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)));

/** Whether a Postgres server can be started on this machine, and a client can connect to it. */
export const hasPostgres = (): boolean =>
  programs("initdb", "postgres") !== undefined && packageFolder("pg") !== undefined;

export interface PostgresServer {
  /** The folder of a project in which pg is installed. */
  project: string;
  /** The URL of the database, whose user is a superuser. */
  url: string;
  query(text: string): Promise<Record<string, unknown>[]>;
  /**
   * Creates a database.
   * @returns its URL
   */
  create(name: string): Promise<string>;
  /**
   * Dumps a database as the statements that create its objects and rows, except for one table and for anything that
   * trials created.
   */
  dump(url: string, without?: string): string;
  close(): Promise<void>;
}

/**
 * The files of an empty server, in a folder that this user's test runs share, because creating them takes half a
 * second.
 */
function emptyServer(bin: string, as: { uid?: number; gid?: number }, folder: string): string {
  const [version] = /\d[\w.]*/.exec(
    execFileSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }),
  )!;
  const shared = join(tmpdir(), `sandglass-tests-postgres-${version}-${userInfo().uid}`);
  // The system may have deleted old files, so check for one of them.
  if (existsSync(join(shared, "PG_VERSION"))) return shared;
  const made = join(folder, "made");
  execFileSync(join(bin, "initdb"), ["-D", made, "-U", "shop", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...as,
    stdio: "ignore",
  });
  try {
    renameSync(made, shared);
    return shared;
  } catch {
    // Another worker has created the folder in the meantime.
    return made;
  }
}

/** Starts a Postgres server with an empty database. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = programs("initdb", "postgres")!;
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const data = join(folder, "data");
  // Postgres refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const as = isRoot ? { uid: id("-u"), gid: id("-g") } : {};
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  const port = await portOfItsOwn();
  execFileSync("cp", ["-a", emptyServer(bin, as, folder), data], as);
  const options = [
    "-D",
    data,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    folder,
    "-F",
    "-c",
    "autovacuum=off",
    "-c",
    "deadlock_timeout=50ms",
  ];
  const server = spawn(join(bin, "postgres"), options, { ...as, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("ready to accept connections")) resolve();
    });
    server.once("exit", () => reject(new Error("Postgres has not started.")));
  });
  const project = join(folder, "project");
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(packageFolder("pg")!, join(project, "node_modules/pg"));
  const url = `postgres://shop:secret@127.0.0.1:${port}/postgres`;
  const { Pool } = createRequire(import.meta.url)("pg");
  const pool = new Pool({ connectionString: url, max: 1 });
  // `end` does not wait until the connections are closed, so Postgres then reports on them that it is shutting down.
  pool.on("error", () => undefined);
  return {
    ...{ project, url },
    query: async (text) => (await pool.query(text)).rows,
    async create(name) {
      await pool.query(`create database ${name}`);
      return url.replace(/\/postgres$/, `/${name}`);
    },
    dump: (of, without = "none.none") =>
      execFileSync(programOf("pg_dump"), ["--inserts", "-N", "sandglass_*", "-T", without, of], {
        encoding: "utf8",
      })
        // Remove these lines, because they contain a random key.
        .replaceAll(/^\\\w+ \w+$/gm, ""),
    async close() {
      await pool.end();
      server.kill("SIGINT");
      await new Promise((resolve) => server.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
