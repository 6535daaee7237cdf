import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { tryClients } from "./outside.ts";

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const { CLIENTS } = process.env;

/** What a client is answered that cannot be answered over HTTP. */
const REFUSED = {
  nodemailer: expect.stringContaining("Sandglass refuses nodemailer.test:587"),
  "nodemailer-tls": expect.stringContaining("Sandglass refuses nodemailer-tls.test:465"),
  grpc: "a message of 0 bytes",
  "grpc-plain": "a message of 0 bytes",
};

describe("a started server reaches nothing outside this machine", () => {
  it.runIf(CLIENTS)(
    "with any package that calls others: each call is answered or refused by name",
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

  it.runIf(has("curl", "--version") && has("python3", "-c", "import requests"))(
    "with programs that look at the variables of proxies",
    async () => {
      const { connections, result } = await tryClients("clients", "OTHERS");
      expect([result, connections]).toEqual([
        Object.fromEntries(Object.keys(result).map((name) => [name, "{}"])),
        0,
      ]);
    },
  );
});
