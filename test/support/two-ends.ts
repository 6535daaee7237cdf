import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SandglassConfig } from "../../src/library/config.ts";
import type { Json } from "./sandbox.ts";

/** The addresses of the two ends of a network with nothing else in it: the sandbox's and another machine's. */
export const NEAR = "10.99.0.1";
export const FAR = "10.99.0.2";

const NETWORK = [
  "ip link set lo up",
  "ip link add near type veth peer name far",
  `ip address add ${NEAR}/24 dev near`,
  `ip address add ${FAR}/24 dev far`,
  "ip link set near up",
  "ip link set far up",
].join(" && ");

const enter = (command: string, input?: string) =>
  spawnSync("unshare", ["--user", "--map-root-user", "--net", "sh", "-c", `${NETWORK} && ${command}`], {
    encoding: "utf8",
    input,
  });

/** Why there can be no such network here; undefined where there can. */
export const withoutNetwork: string | undefined =
  process.platform !== "linux"
    ? "only Linux has network namespaces"
    : enter("true").status === 0
      ? undefined
      : "this machine lets this user make no network namespace";

/** A request from the far end. `{far}` and `{near}` are the ports of servers there, `{id}` the latest id in an answer. */
export interface FarRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface FarAnswers {
  answers: { status: number; body: Json }[];
  /** How many requests the server at the far end got, and the one on loopback of the near end. */
  received: { far: number; near: number };
}

/** Starts a sandbox at the near end, with servers on both, and calls it from the far one. */
export function callFromFar(config: SandglassConfig, requests: FarRequest[], token = ""): FarAnswers {
  const script = fileURLToPath(new URL("./two-ends-inside.ts", import.meta.url));
  const { status, stdout, stderr } = enter(
    `SANDGLASS_TOKEN=${token} exec ${process.execPath} ${script}`,
    JSON.stringify({ config, requests }),
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as FarAnswers;
}
