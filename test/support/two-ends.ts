import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SandglassConfig } from "../../src/library/config.ts";
import type { Json } from "./sandbox.ts";

/** The addresses of the two ends of a network that contains nothing else: the sandbox and another machine. */
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

/** Why such a network cannot be created here; undefined if it can. */
export const withoutNetwork: string | undefined =
  process.platform !== "linux"
    ? "only Linux has network namespaces"
    : enter("true").status === 0
      ? undefined
      : "this machine lets this user make no network namespace";

/**
 * A request from the far end. `{far}` and `{near}` stand for the ports of the servers at both ends, and `{id}` for the
 * latest id in a response.
 */
export interface FarRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface FarAnswers {
  answers: { status: number; body: Json }[];
  /** How many requests arrived at the far server, and at the loopback server on the near end. */
  received: { far: number; near: number };
}

/** Starts a sandbox at the near end and a server at each end, and makes requests from the far end. */
export function callFromFar(config: SandglassConfig, requests: FarRequest[], token = ""): FarAnswers {
  const script = fileURLToPath(new URL("./two-ends-inside.ts", import.meta.url));
  const { status, stdout, stderr } = enter(
    `SANDGLASS_TOKEN=${token} exec ${process.execPath} ${script}`,
    JSON.stringify({ config, requests }),
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as FarAnswers;
}
