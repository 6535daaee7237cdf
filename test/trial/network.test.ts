import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listenAt } from "../../src/runtime/listen.ts";
import { startHolder } from "../../src/trial/outside/network/holder.ts";
import { openNetwork } from "../../src/trial/outside/network/network.ts";
import { type RunningCli, startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { hasNetworks, startOwnService } from "./outside.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

/**
 * A server in Python that runs the given Python statements when it gets its first request. The statements can use
 * `call(name, function)`, which records what the function returns.
 */
const shopIn = (statements: string): string => `
import http.server, os, smtplib, socket
def call(name, ask):
    try: answer = ask()
    except Exception as error: answer = type(error).__name__
    with open("calls.txt", "a") as file: file.write(f"{name}: {answer}\\n")
def ask(host, port):
    with socket.create_connection((host, port), 30) as one:
        one.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
        return one.makefile().read().split("\\n")[-1]
def run():
${statements.replaceAll(/^/gm, "    ")}
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        if not os.path.exists("calls.txt"): run()
        self.send_response(204)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`;

/**
 * Checks a server in Python.
 * @returns the results of its calls, and the report about calls to the outside
 */
async function tryPython(statements: string, { env = {}, subject = {} } = {}) {
  const cwd = folderOf({
    "shop.py": shopIn(statements),
    "sandbox.config.json": JSON.stringify({ subject }),
  });
  const { stdout } = await runWarmCli(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", "python3 shop.py"],
      ...["--only", "duplicate", "--secret", "whsec_test"],
    ],
    { cwd, env },
  );
  return {
    calls: readFileSync(join(cwd, "calls.txt"), "utf8").trim().split("\n"),
    text: (stdout.split("Outside this machine\n")[1] ?? stdout).replaceAll(/\s+/g, " "),
  };
}

/** The processes on this machine whose network namespace is the one that a file refers to. */
const processesIn = (network: string): string[] =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/ns/net`) === network;
    } catch {
      return false;
    }
  });

describe.runIf(hasNetworks && hasPython)("a started server with its own network", () => {
  it("a Python server cannot reach external hosts through raw sockets or smtplib, and the report names each destination", async () => {
    const { calls, text } = await tryPython(`
call("mail", lambda: smtplib.SMTP("smtp.acme.test", 587).sendmail("a@acme.test", "ada@acme.test", "Subject: Order\\n\\nHello"))
call("web", lambda: ask("api.acme.test", 80))
call("other port", lambda: ask("api.acme.test", 4321))
call("address", lambda: ask("203.0.113.9", 4321))
call("cache", lambda: socket.create_connection(("cache.acme.test", 6379)).sendall(b"PING\\r\\n"))
call("nobody", lambda: ask("127.0.0.1", 9))`);
    expect(calls).toEqual([
      "mail: {}",
      "web: {}",
      "other port: {}",
      "address: {}",
      "cache: None",
      "nobody: ConnectionRefusedError",
    ]);
    for (const line of [
      "smtp.acme.test:587: 1 mail, accepted here",
      "api.acme.test: 1 call, answered with 200 {}",
      "api.acme.test:4321: 1 call, answered with 200 {}",
      "203.0.113.9:4321: 1 call, answered with 200 {}",
      "cache.acme.test:6379: 1 connection, refused: only HTTP and mail are handled",
      "None of this left the machine.",
    ])
      expect(text).toContain(line);
    expect(text).not.toContain("HTTP_PROXY");
  });

  it("a server reaches the services on this machine and those that it starts itself", async () => {
    const own = new URL(await startOwnService());
    const { calls, text } = await tryPython(`
inner = socket.create_server(("127.0.0.1", 0))
call("by name", lambda: ask("localhost", ${own.port}))
call("by address", lambda: ask("127.0.0.1", ${own.port}))
call("its own", lambda: socket.create_connection(inner.getsockname()) and inner.accept()[1][0])`);
    expect(calls).toEqual(["by name: own", "by address: own", "its own: 127.0.0.1"]);
    expect(text).not.toContain(`:${own.port}`);
  });

  it("a service on this machine that ends leaves its port free", async () => {
    const service = createServer();
    const port = await listenAt(service, { host: "127.0.0.1", port: 0 });
    const network = await openNetwork(startHolder(), { port: undefined, enter() {}, refused() {} });
    service.close();
    await once(service, "close");
    await network.join();
    const next = createServer();
    expect(await listenAt(next, { host: "127.0.0.1", port })).toBe(port);
    next.close();
    network.close();
  });

  it("the result names the reason if the system refuses to give the server its own network", async () => {
    const bin = folderOf({
      unshare: "#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n",
    });
    chmodSync(join(bin, "unshare"), 0o755);
    const { text } = await tryPython(`call("nothing", lambda: None)`, {
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    expect(text).toContain(
      "Only programs that use HTTP_PROXY were guarded, because no Node process of this trial listens on the server's port, and the server did not get a separate network (unshare: unshare failed: Operation not permitted). SMTP, other raw sockets and containers may have left the machine.",
    );
  });

  it("a server uses this machine's network if subject.allow contains every host", async () => {
    const { text } = await tryPython(`call("nothing", lambda: None)`, { subject: { allow: ["*"] } });
    expect(text).toContain('(subject.allow contains "*")');
  });

  it.each<[how: string, end: (cli: RunningCli, pid: number) => void]>([
    ["it is killed", (cli) => cli.kill("SIGKILL")],
    ["it is interrupted", (cli) => cli.kill("SIGINT")],
    ["it is terminated", (cli) => cli.kill("SIGTERM")],
    ["its server crashes", (_, pid) => void process.kill(pid, "SIGKILL")],
  ])("a check leaves no process, network or port behind if %s", async (_how, end) => {
    const port = await portOfItsOwn();
    const cwd = folderOf({
      "shop.py": shopIn(`
import subprocess
subprocess.Popen(["sleep", "600"], start_new_session=True)
call(os.getpid(), lambda: os.readlink("/proc/self/ns/net"))
socket.create_connection(("127.0.0.1", int(os.environ["PORT"]))).recv(1)`),
    });
    const args = ["--start", "python3 shop.py", "--only", "duplicate", "--secret", "whsec_test"];
    const cli = startCli(["check", `http://127.0.0.1:${port}/webhooks`, ...args], { cwd });
    await expect.poll(() => existsSync(join(cwd, "calls.txt"))).toBe(true);
    const [pid = "", network = ""] = readFileSync(join(cwd, "calls.txt"), "utf8").trim().split(": ");
    expect(processesIn(network).length).toBeGreaterThan(2);
    end(cli, Number(pid));
    await cli.ended;
    await expect.poll(() => processesIn(network)).toEqual([]);
    const error = await new Promise((resolve) => connect(port, "127.0.0.1").once("error", resolve));
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });
});
