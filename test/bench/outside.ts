import { execFile } from "node:child_process";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { createCrossings } from "../../src/trial/outside/crossing.ts";
import { openOutside } from "../../src/trial/outside/outside.ts";
import { OUTSIDE } from "../../src/trial/outside/variables.ts";
import { ISSUED } from "../support/certificates.ts";
import { type Figure, pathOf } from "./harness.ts";
import { compare, firstAnswer, inTurn } from "./start.ts";

const run = promisify(execFile);
const BARE = pathOf("./bare-server.mjs");
const PRELOAD = pathOf("../../dist/outside-preload.cjs");
const ROUNDS = 31;

/** Measures the cost to a server of having all its connections redirected, so that none leaves the machine. */
export async function outside(): Promise<Figure[]> {
  const opened = await openOutside({
    apis: [],
    crossings: createCrossings(),
    allow: [],
    mailEnv: [],
    env: {},
    port: undefined,
  });
  try {
    return [await starts(opened.env[OUTSIDE]!), await calls(opened.env)];
  } finally {
    await opened.close();
  }
}

async function starts(address: string): Promise<Figure> {
  process.env[OUTSIDE] = address;
  const rounds = await inTurn(
    {
      ours: () => firstAnswer(["--require", PRELOAD, BARE], "/links/pl_7"),
      bare: () => firstAnswer([BARE], "/links/pl_7"),
    },
    ROUNDS,
  );
  delete process.env[OUTSIDE];
  return compare(
    "start to first answer of a server with the preload, of one without",
    rounds.map(({ ours, bare }) => [ours.ms, bare.ms]),
    1.1,
  );
}

async function calls(env: Record<string, string>): Promise<Figure> {
  const { key, cert } = ISSUED;
  const service = createServer({ key, cert }, (call, response) => {
    call.resume();
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const args = [pathOf("./outside-client.mjs"), `https://127.0.0.1:${port}`, "https://api.acme.test"];
  const { stdout } = await run(process.execPath, args, {
    env: { ...process.env, ...env, NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" },
  });
  service.close();
  const rounds: { bare: number; led: number }[] = JSON.parse(stdout);
  const fastest = (of: "bare" | "led") => Math.min(...rounds.map((round) => round[of]));
  const [ours, bare] = [fastest("led"), fastest("bare")];
  return {
    name: "a call that the gateway answers, of one to a service on this machine, in the fastest of many rounds",
    ...{ ours, bare, ratio: ours / bare, unit: "ms", limit: { most: 2 } },
  };
}
