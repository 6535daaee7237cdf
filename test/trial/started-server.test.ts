import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../src/trial/subject/server.ts";
import { folderOf, PATIENCE_MS } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";

const LISTEN = (host: string, port = "process.env.PORT") =>
  `require("net").createServer().listen(${port}, "${host}")`;
const node = (code: string) => `${JSON.stringify(process.execPath)} -e '${code}'`;

/**
 * Starts a command, and stops it when the test ends.
 * @param host the host in its URL
 */
async function start(command: string, port: number, host = "127.0.0.1") {
  const url = `http://${host}:${port}/webhooks`;
  const server = await startServer({ command, url, env: {}, timeout: PATIENCE_MS });
  onTestFinished(() => server.end("SIGKILL"));
  return server;
}

/** A command that does not listen, and the file that it creates when it runs. */
function silent() {
  const folder = folderOf();
  const file = join(folder, "started");
  return { folder, command: `touch ${file}; exec sleep 600`, hasStarted: () => existsSync(file) };
}

describe.runIf(process.platform === "linux")("a server that a trial starts", () => {
  it("a trial rejects an unrelated program that takes over the port after the start, and names its process", async () => {
    const port = await portOfItsOwn();
    const { command, hasStarted } = silent();
    const starting = start(command, port);
    await expect.poll(hasStarted).toBe(true);
    const stranger = createServer().listen(port, "127.0.0.1");
    onTestFinished(() => void stranger.close());
    await expect(starting).rejects.toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining(`Port ${port} is taken by process ${process.pid}, which is not part`),
    });
  });

  it("a trial accepts a container's proxy that the container runtime started", async () => {
    const port = await portOfItsOwn();
    const { folder, command, hasStarted } = silent();
    const starting = start(command, port);
    await expect.poll(hasStarted).toBe(true);
    const program = join(folder, "docker-proxy");
    symlinkSync(process.execPath, program);
    const proxy = spawn(program, ["-e", LISTEN("127.0.0.1", String(port))]);
    onTestFinished(() => void proxy.kill("SIGKILL"));
    expect((await starting).hasEnded()).toBe(false);
    proxy.kill("SIGKILL");
  });

  it("a trial recognizes its command's process in another session after the parent exited", async () => {
    const server = await start(`(setsid ${node(LISTEN("0.0.0.0"))} &); exec sleep 600`, await portOfItsOwn());
    await server.end("SIGTERM");
  });

  it("a trial ignores a program on the same port of another address", async () => {
    const port = await portOfItsOwn();
    const stranger = createServer().listen({ port, host: "127.0.0.2" });
    onTestFinished(() => void stranger.close());
    await start(`exec ${node(LISTEN("127.0.0.1"))}`, port);
  });

  it("a trial waits for a server that first checks whether its port is free", async () => {
    const folder = folderOf({
      "server.cjs": `
const net = require("node:net");
// As Vite does: listen, and stop as soon as that has worked. A connection is made meanwhile, and never accepted.
const check = net.createServer().listen(process.env.PORT, "127.0.0.1", () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  check.close(() => setTimeout(() => {
    require("node:fs").writeFileSync(__dirname + "/ready", "");
    net.createServer().listen(process.env.PORT, "127.0.0.1");
  }, 60));
});`,
    });
    await start(
      `exec ${JSON.stringify(process.execPath)} ${join(folder, "server.cjs")}`,
      await portOfItsOwn(),
    );
    expect(existsSync(join(folder, "ready"))).toBe(true);
  });

  it.for<[what: string, wrapper: string, starts: number]>([
    ["without the program that only starts it", "", 1],
    ["by its whole command if that also runs another program", 'spawn("sleep", ["600"]);', 2],
    ["by its whole command if it does not start without it", "process.env.NEEDS = String(process.pid);", 2],
  ])("a trial restarts a server %s", async ([, wrapper, starts]) => {
    const folder = folderOf({
      "wrapper.cjs": `
const { spawn } = require("node:child_process");
require("node:fs").appendFileSync("starts", "+");
${wrapper}
process.env.GREETING = "from the wrapper";
spawn(process.execPath, ["server.cjs", "", "an argument"], { stdio: "inherit", cwd: "app" });`,
      "app/server.cjs": `
if (process.env.NEEDS && process.env.NEEDS !== String(process.ppid)) process.exit(3);
require("node:fs").writeFileSync("seen", [...process.argv.slice(2), process.env.GREETING].join());
require("node:net").createServer().listen(process.env.PORT, "127.0.0.1");`,
    });
    const server = await start(`cd ${folder} && ${process.execPath} wrapper.cjs`, await portOfItsOwn());
    server.begin();
    server.begin();
    rmSync(join(folder, "app/seen"));
    await server.end("SIGKILL");
    await server.start();
    expect(readFileSync(join(folder, "starts"), "utf8")).toHaveLength(starts);
    expect(readFileSync(join(folder, "app/seen"), "utf8")).toBe(",an argument,from the wrapper");
  });

  it("a trial restarts a server without the build that comes before it in the command", async () => {
    const folder = folderOf();
    const server = await start(
      `cd ${folder} && echo built >> builds && exec ${node(LISTEN("127.0.0.1"))}`,
      await portOfItsOwn(),
    );
    server.begin();
    server.begin();
    await server.end("SIGTERM");
    await server.start();
    expect(readFileSync(join(folder, "builds"), "utf8")).toBe("built\n");
  });

  it("a trial reaches a server that listens only on ::1 through the name localhost", async () => {
    const server = await start(`exec ${node(LISTEN("::1"))}`, await portOfItsOwn(), "localhost");
    expect(server.hasEnded()).toBe(false);
  });
});
