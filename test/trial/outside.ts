import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { runBuiltCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { listenForTest } from "../support/listen.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";

/** Whether this machine allows a server to have its own network. */
export const hasNetworks =
  process.platform === "linux" && spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;

/**
 * Makes all names below `.test` resolve to this machine, so connections that are not redirected arrive at the listener.
 */
const RESOLVE = `
const dns = require("node:dns");
const { lookup } = dns;
process.env.USERS_OWN = "loaded";
dns.lookup = (host, ...values) => lookup(/[.]test[.]?$/.test(host) ? "127.0.0.1" : host, ...values);
`;

/** A server that runs a function when it gets its first request, and writes the result to a file. */
const SERVER = `
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
let done;
createServer(async (request, response) => {
  for await (const _ of request);
  if (request.method === "POST") await (done ??= run());
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
async function run() {
  const give = (value) => writeFileSync("result.json", JSON.stringify(value));
`;

/** Starts a listener that simulates the outside and counts connections. */
async function startOutside() {
  let connections = 0;
  const listener = createServer((_, response) => response.end("outside"));
  listener.on("connection", () => {
    connections += 1;
  });
  return { port: await listenForTest(listener), connections: () => connections };
}

/** The path of a file of clients that a server imports. */
export const clientsIn = (file: string): string => JSON.stringify(`${ROOT}test/support/outside/${file}.mjs`);

/**
 * The files of a server.
 * @param run like the field in `OutsideTrial`; CLIENTS stands for the file of clients
 */
export const filesOf = (run: string): Record<string, string> => ({
  "shop.mjs": `${SERVER} const CLIENTS = ${clientsIn("clients")}; ${run}\n}`,
});

/** Starts a service on this machine that belongs to the user. */
export async function startOwnService(): Promise<string> {
  const port = await listenForTest(createServer((_, response) => response.end("own")));
  return `http://localhost:${port}`;
}

export interface OutsideTrial {
  /** The body of an async function, which passes its result to `give`; `port` is the port of the outside listener. */
  run: string;
  env?: Record<string, string>;
  subject?: object;
  /** Additional files in the project. */
  files?: Record<string, string>;
  /** Whether the gateway resolves names in the same way as the server. */
  isReachable?: boolean;
}

/** Checks a started server that makes calls to the outside. */
export async function tryOutside({
  run,
  env = {},
  subject = {},
  files = {},
  isReachable = false,
}: OutsideTrial) {
  const outside = await startOutside();
  const cwd = folderOf({
    "resolve.cjs": RESOLVE,
    ...filesOf(`const port = ${outside.port}; ${run}`),
    ...files,
    "sandbox.config.json": JSON.stringify({ subject }),
  });
  const { code, stdout } = await (isReachable ? runBuiltCli : runWarmCli)(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", "node shop.mjs"],
      ...["--only", "duplicate", "--secret", "whsec_test", "--html", "report.html"],
    ],
    { cwd, env: { NODE_OPTIONS: `--require ${join(cwd, "resolve.cjs")}`, ...env } },
  );
  const [, said = ""] = stdout.split("Outside this machine\n");
  return {
    ...{ code, stdout, port: outside.port, connections: outside.connections() },
    text: said.replaceAll(/\s+/g, " "),
    html: readFileSync(join(cwd, "report.html"), "utf8"),
    result: JSON.parse(readFileSync(join(cwd, "result.json"), "utf8")),
  };
}

/**
 * Runs a list of clients in a started server.
 * @param list the list's name in the file
 */
export const tryClients = (file: string, list: string, env?: Record<string, string>) =>
  tryOutside({
    run: `
      const { callAll } = await import(CLIENTS);
      const { ${list}: clients } = await import(${clientsIn(file)});
      give(await callAll(clients, port));`,
    ...(env && { env }),
  });
