import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { resolveConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";
import type { FarRequest } from "./two-ends.ts";

/**
 * The script that `callFromFar` runs inside the network. It reads its task from standard input, and prints the
 * responses.
 */

const NEAR = "10.99.0.1";
const FAR = "10.99.0.2";
const { config, requests } = JSON.parse(await text(process.stdin));
const received = { far: 0, near: 0 };

async function listenAt(name: "far" | "near", host: string): Promise<number> {
  const server = createServer((_request, response) => {
    received[name] += 1;
    response.end("a secret of this machine");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

const ports = { far: await listenAt("far", FAR), near: await listenAt("near", "127.0.0.1") };
const served = await serve(
  resolveConfig(
    { port: 0, host: "0.0.0.0", seed: "empty", clock: { mode: "paused" }, settleTimeout: "20s", ...config },
    0,
  ),
);
const { port } = new URL(served.url);
let id = "";
const fill = (line: string) =>
  line.replace("{far}", String(ports.far)).replace("{near}", String(ports.near)).replace("{id}", id);

function call({ method, path, headers = {}, body }: FarRequest): Promise<{ status: number; body: unknown }> {
  const sent = body === undefined ? undefined : fill(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const options = {
      ...{ host: NEAR, port, localAddress: FAR, method, path: fill(path), agent: false as const },
      headers: { ...(sent && { "content-type": "application/json" }), ...headers },
    };
    request(options, (response) => {
      void text(response).then((read) => {
        const answer = read.startsWith("{") ? JSON.parse(read) : read;
        id = answer.id ?? id;
        resolve({ status: response.statusCode!, body: answer });
      }, reject);
    })
      .on("error", reject)
      .end(sent);
  });
}

const answers = [];
for (const one of requests) answers.push(await call(one));
process.stdout.write(JSON.stringify({ answers, received }), () => process.exit(0));
