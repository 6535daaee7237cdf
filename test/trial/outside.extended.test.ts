import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { BUILT_CLI } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
// @ts-expect-error: it has no types.
import { NEEDS } from "../support/outside/clients.mjs";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { filesOf, tryClients, tryOutside } from "./outside.ts";

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const { CLIENTS } = process.env;

/** What a client is answered that cannot be answered over HTTP. */
const REFUSED = {
  nodemailer: "accepted for ada@acme.test",
  "nodemailer-tls": "accepted for ada@acme.test",
  grpc: "a message of 0 bytes",
  "grpc-plain": "a message of 0 bytes",
};

describe("a started server without access to the outside", () => {
  it.runIf(CLIENTS)(
    "a started server cannot reach the outside with any npm package, and every call is answered or refused",
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

  /** A network of its own, in which an address outside is that of a listener. */
  const IN_NAMESPACE =
    "ip link set lo up && ip address add 198.51.100.7/32 dev lo && mount --bind hosts /etc/hosts && exec";
  const hasNamespaces = has(
    "unshare",
    "-rnm",
    "sh",
    "-c",
    "ip link set lo up && mount --bind /etc/hosts /etc/hosts",
  );

  it.runIf(hasNamespaces && has("curl", "--version"))(
    "a started server cannot reach the outside even if names resolve to an outside listener",
    async () => {
      const clients = `give(await callAll({ ...NODE, ...installed() }, 8080))`;
      const cwd = folderOf({
        ...filesOf(`const { callAll, NODE, installed } = await import(CLIENTS); ${clients}`),
        hosts: "",
      });
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
          "-rnm",
          "sh",
          "-c",
          `${IN_NAMESPACE} "$@"`,
          "sh",
          process.execPath,
          `${ROOT}test/support/outside/in-namespace.mjs`,
          ...command,
        ],
        { cwd, encoding: "utf8" },
      );
      const { bare, led, stdout: output, names } = JSON.parse(stdout);
      expect({ bare, led }).toEqual({ bare: 1, led: 0 });
      for (const name of names) expect(output).toContain(`${name}.test:8080: 1 call`);
    },
  );

  it.for(Object.keys(NEEDS))(
    "a started server reaches nothing outside with %s, which reads the proxy variables",
    async (name, { skip }) => {
      const [program, ...args] = NEEDS[name as keyof typeof NEEDS] as [string, ...string[]];
      if (!has(program, ...args)) skip(`${name} is not installed`);
      const { connections, result, text, port } = await tryOutside({
        run: `const { callAll, OTHERS } = await import(CLIENTS); give(await callAll({ "${name}": OTHERS["${name}"] }, port));`,
      });
      expect([result, connections]).toEqual([{ [name]: "{}" }, 0]);
      expect(text).toContain(`${name}.test:${port}: 1 call, answered 200 {}`);
    },
  );
});

const HANDLE = `await (await fetch("https://api.acme.test")).text();`;
const inNode = (imported: string) => `${imported}
createServer(async (request, response) => {
  for await (const _ of request);
  if (request.method === "POST") ${HANDLE}
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");`;

it.each<[what: string, file: string, text: string, start: string]>([
  ["of CommonJS", "shop.cjs", inNode('const { createServer } = require("node:http");'), "node shop.cjs"],
  ["of modules", "shop.mjs", inNode('import { createServer } from "node:http";'), "node shop.mjs"],
  [
    "of tsx",
    "shop.ts",
    inNode('import { createServer } from "node:http"; enum A { B }'),
    `node --import ${ROOT}node_modules/tsx/dist/loader.mjs shop.ts`,
  ],
  [
    "of Vite",
    "vite.config.mjs",
    `export default { plugins: [{ name: "shop", configureServer: ({ middlewares }) => void middlewares.use("/webhooks", async (_, response) => {
      ${HANDLE}
      response.end();
    }) }] };`,
    `node ${ROOT}node_modules/vite/bin/vite.js --host 127.0.0.1 --port $PORT`,
  ],
])("a server %s starts, and reaches nothing outside", async (_what, file, text, start) => {
  const { code, stdout } = await runWarmCli(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", start],
      ...["--only", "duplicate", "--secret", "whsec_test"],
    ],
    { cwd: folderOf({ [file]: text }) },
  );
  expect([code, stdout]).toEqual([0, expect.stringMatching(/api\.acme\.test: \d+ calls?, answered 200/)]);
});

it.runIf(CLIENTS)("a Next server starts, and cannot reach the outside", async () => {
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
  expect([code, stdout]).toEqual([0, expect.stringMatching(/api\.acme\.test: \d+ calls?, answered 200/)]);
});

it("the result says what was not guarded if the process listening on the server's port is not Node", async () => {
  const server = `
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
`;
  const { stdout } = await runWarmCli(
    [
      ...["check", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", "python3 shop.py"],
      ...["--only", "duplicate", "--secret", "whsec_test"],
    ],
    { cwd: folderOf({ "shop.py": server }) },
  );
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "Only programs that use HTTP_PROXY were guarded, because no Node process of this trial listens on the server's port. SMTP, other raw sockets and containers may have left the machine.",
  );
});
