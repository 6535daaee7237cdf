import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { BUILT_CLI } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { denoStart, hasDeno } from "../support/deno.ts";
import { ROOT } from "../support/docs.ts";
// @ts-expect-error: it has no types.
import { DIRECT, NEEDS, OTHERS } from "../support/outside/clients.mjs";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { filesOf, hasNetworks, tryClients, tryOutside } from "./outside.ts";

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const { CLIENTS } = process.env;

/** The results of clients that do not use HTTP. */
const REFUSED = {
  nodemailer: "accepted for ada@acme.test",
  "nodemailer-tls": "accepted for ada@acme.test",
  grpc: "a message of 0 bytes",
  "grpc-plain": "a message of 0 bytes",
};

describe("a started server without access to external hosts", () => {
  it.runIf(CLIENTS)(
    "a started server cannot reach external hosts with any npm package, and every call is handled or rejected",
    async () => {
      const { connections, result, text } = await tryClients("packages", "PACKAGES", { CLIENTS: CLIENTS! });
      expect(result).toEqual({
        ...Object.fromEntries(Object.keys(result).map((name) => [name, "{}"])),
        ...REFUSED,
      });
      expect(connections).toBe(0);
      for (const name of Object.keys(result)) expect(text).toMatch(new RegExp(`(?:^| )${name}\\.test`));
    },
  );

  /** A separate network in which a listener has an outside address. */
  const IN_NAMESPACE =
    "ip link set lo up && ip address add 198.51.100.7/32 dev lo && mount --bind hosts /etc/hosts && exec";
  const hasNamespaces = has(
    "unshare",
    "-rnm",
    "sh",
    "-c",
    "ip link set lo up && mount --bind /etc/hosts /etc/hosts",
  );

  /**
   * How many connections arrive at an outside listener from a bare client, and how many from a server that runs
   * clients.
   */
  async function tryInNamespace(clients: string) {
    const run = `const { callAll, NODE, DIRECT, installed } = await import(CLIENTS); give(await callAll(${clients}, 8080));`;
    const settings = { subject: { timeout: "5m" } };
    const cwd = folderOf({ ...filesOf(run), hosts: "", "sandbox.config.json": JSON.stringify(settings) });
    const command = [
      ...[
        BUILT_CLI,
        "check",
        `http://127.0.0.1:${await portOfItsOwn()}/webhooks`,
        "--start",
        "node shop.mjs",
      ],
      ...["--only", "duplicate", "--secret", "whsec_test"],
    ];
    const { stdout } = spawnSync(
      "unshare",
      [
        ...["-rnm", "sh", "-c", `${IN_NAMESPACE} "$@"`, "sh", process.execPath],
        ...[`${ROOT}test/support/outside/in-namespace.mjs`, ...command],
      ],
      { cwd, encoding: "utf8" },
    );
    const { bare, led, stdout: output, names } = JSON.parse(stdout);
    expect({ bare, led }).toEqual({ bare: 1, led: 0 });
    return { output, names };
  }

  it.runIf(hasNamespaces && has("curl", "--version"))(
    "a started server cannot reach external hosts even if names resolve to an external listener",
    async () => {
      const { output, names } = await tryInNamespace("{ ...NODE, ...installed() }");
      for (const name of names) expect(output).toContain(`${name}.test:8080: 1 call`);
    },
  );

  it.runIf(hasNamespaces && has("curl", "--version"))(
    "a started server cannot reach an external listener with programs that ignore the proxy variables",
    async () => {
      const { output } = await tryInNamespace("installed(DIRECT)");
      // The programs find the address in the hosts file, and connect to it directly.
      expect(output).toMatch(/198\.51\.100\.7:8080: \d+ calls?, answered with 200/);
      expect(output).toContain("198.51.100.7:587: 1 mail, accepted here");
    },
  );

  it.for(Object.keys(OTHERS))(
    "a started server cannot reach external hosts with %s, which reads the proxy variables",
    (name, { skip }) => tryProgram("OTHERS", name, skip),
  );

  it.for(Object.keys(DIRECT))(
    "a started server cannot reach external hosts with %s, which ignores the proxy variables",
    (name, { skip }) => {
      if (!hasNetworks) skip("this machine allows no network namespaces");
      return tryProgram("DIRECT", name, skip);
    },
  );
});

/**
 * Runs one of the programs in a list.
 * @param list the list's name in the file of clients
 */
async function tryProgram(list: "OTHERS" | "DIRECT", name: string, skip: (note: string) => void) {
  const [program, ...args] = NEEDS[name as keyof typeof NEEDS] as [string, ...string[]];
  if (!has(program, ...args)) skip(`${name} is not installed`);
  const { connections, result, text, port } = await tryOutside({
    run: `const { callAll, ${list} } = await import(CLIENTS); give(await callAll({ "${name}": ${list}["${name}"] }, port));`,
  });
  expect([result, connections]).toEqual([{ [name]: "{}" }, 0]);
  if (name === "smtplib") expect(text).toContain("smtplib.test:587: 1 mail, accepted here");
  else expect(text).toMatch(new RegExp(`(?:^| )${name}\\.test:${port}: \\d calls?, answered with 200 {}`));
}

const CONNECT_IN_DENO = `
const socket = await Deno.connect({ hostname: "raw.acme.test", port: 80 });
await socket.write(encoder.encode("GET / HTTP/1.0\\r\\n\\r\\n"));
await new Response(socket.readable).text();`;
const HANDLE = `await (await fetch("https://api.acme.test")).text();`;
const inNode = (imported: string) => `${imported}
createServer(async (request, response) => {
  for await (const _ of request);
  if (request.method === "POST") ${HANDLE}
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");`;

it.each<[what: string, file: string, text: string, start: string]>([
  ["in CommonJS", "shop.cjs", inNode('const { createServer } = require("node:http");'), "node shop.cjs"],
  ["in ES modules", "shop.mjs", inNode('import { createServer } from "node:http";'), "node shop.mjs"],
  [
    "run with tsx",
    "shop.ts",
    inNode('import { createServer } from "node:http"; enum A { B }'),
    `node --import ${ROOT}node_modules/tsx/dist/loader.mjs shop.ts`,
  ],
  [
    "run by Vite",
    "vite.config.mjs",
    `export default { plugins: [{ name: "shop", configureServer: ({ middlewares }) => void middlewares.use("/webhooks", async (_, response) => {
      ${HANDLE}
      response.end();
    }) }] };`,
    `node ${ROOT}node_modules/vite/bin/vite.js --host 127.0.0.1 --port $PORT`,
  ],
])("a server %s starts and cannot reach external hosts", async (_what, file, text, start) => {
  const { code, stdout } = await runWarmCli(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", start],
      ...["--only", "duplicate", "--secret", "whsec_test"],
    ],
    { cwd: folderOf({ [file]: text }) },
  );
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/api\.acme\.test: \d+ calls?, answered with 200/),
  ]);
});

it.runIf(CLIENTS)("a Next server starts and cannot reach external hosts", async () => {
  const start = `node ${CLIENTS}/node_modules/next/dist/bin/next dev --hostname 127.0.0.1 --port $PORT`;
  const { code, stdout } = await runWarmCli(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", start],
      ...["--only", "duplicate", "--secret", "whsec_test"],
    ],
    {
      cwd: folderOf(
        {
          "app/webhooks/route.js": `export async function POST() { ${HANDLE} return new Response(); }`,
          "package.json": '{ "private": true }',
          "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(CLIENTS)} } };`,
        },
        CLIENTS,
      ),
    },
  );
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/api\.acme\.test: \d+ calls?, answered with 200/),
  ]);
});

it("a Deno server starts and cannot reach external hosts through fetch or a raw socket", async ({ skip }) => {
  if (!hasDeno(CLIENTS)) skip("Deno is not in the folder of CLIENTS");
  const { code, stdout } = await runWarmCli(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`],
      ...["--start", denoStart(CLIENTS!, "server.ts"), "--only", "duplicate", "--secret", "whsec_test"],
    ],
    {
      cwd: folderOf(
        {
          "server.ts": `
            const encoder = new TextEncoder();
            Deno.serve({ port: Number(Deno.env.get("PORT")), hostname: "127.0.0.1" }, async () => {
              ${HANDLE}
              ${hasNetworks ? CONNECT_IN_DENO : ""}
              return new Response();
            });`,
        },
        CLIENTS,
      ),
    },
  );
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/api\.acme\.test: \d+ calls?, answered with 200/),
  ]);
  if (hasNetworks) expect(stdout).toMatch(/raw\.acme\.test: \d+ calls?, answered with 200/);
});
