import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { BUILT_CLI } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { filesOf, tryClients } from "./outside.ts";

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
    "a started server reaches nothing outside with any npm package, and every call is answered or refused",
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

  it.runIf(hasNamespaces && has("curl", "--version") && has("python3", "-c", "import requests"))(
    "a started server reaches nothing outside if names resolve to an outside listener",
    async () => {
      const clients = `give(await callAll({ ...NODE, ...OTHERS }, 8080))`;
      const cwd = folderOf({
        ...filesOf(`const { callAll, NODE, OTHERS } = await import(CLIENTS); ${clients}`),
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
      expect(JSON.parse(stdout)).toEqual({
        bare: 1,
        led: 0,
        stdout: expect.stringContaining("curl.test:8080: 1 call"),
      });
    },
  );

  it.runIf(has("curl", "--version") && has("python3", "-c", "import requests"))(
    "a started server reaches nothing outside with programs that read proxy variables",
    async () => {
      const { connections, result } = await tryClients("clients", "OTHERS");
      expect([result, connections]).toEqual([
        Object.fromEntries(Object.keys(result).map((name) => [name, "{}"])),
        0,
      ]);
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
