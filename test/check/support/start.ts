import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer, type RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { listenForTest } from "../../support/listen.ts";

export const SECRET = "whsec_0123456789abcdef";

/** The URLs of a handler and of its state. */
export interface Started {
  url: string;
  stateUrl: string;
}

/** Serves a handler in this process until the test ends. */
export async function startReceiver(listener: RequestListener): Promise<Started> {
  const origin = `http://127.0.0.1:${await listenForTest(createServer(listener))}`;
  return { url: `${origin}/webhooks`, stateUrl: `${origin}/state` };
}

/** The path of an example handler that readers of the docs would copy. */
export function receiverFile(name: string): string {
  return fileURLToPath(new URL(`../receivers/${name}`, import.meta.url));
}

/** Starts a handler from `receivers/` as a reader would, in a separate process that runs until the test ends. */
export async function startFile(name: string): Promise<Started> {
  const command = name.endsWith(".py") ? "python3" : process.execPath;
  const env = { ...process.env, SANDGLASS_WEBHOOK_SECRET: SECRET, PORT: "0" };
  const child: ChildProcess = spawn(command, [receiverFile(name)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once("data", (text: Buffer) => resolve(/http:\S+/.exec(text.toString())![0]));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return { url, stateUrl: new URL("/state", url).href };
}

export const hasPython = spawnSync("python3", ["--version"]).status === 0;
