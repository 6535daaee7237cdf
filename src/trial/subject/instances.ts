import type { AddressInfo } from "node:net";
import { createServer as createListener } from "node:net";
import { SandboxError } from "../../errors/errors.ts";
import { http } from "../../runtime/node-http.ts";
import { endAll } from "./remote-state.ts";
import { type OwnedServer, startServer } from "./server.ts";

/**
 * Starts a server several times, on ports of their own, behind one address: each request goes to the next process.
 * @throws SandboxError as `startServer`
 */
export async function startInstances(
  command: string,
  url: string,
  env: Record<string, string>,
  count: number,
): Promise<OwnedServer> {
  if (count === 1) return startServer(command, url, env);
  const { hostname, port } = new URL(url);
  const ports = await freePorts(count);
  const started: OwnedServer[] = [];
  let next = 0;
  const front = http.createServer((call, response) => {
    const { method, url: path, headers } = call;
    const own = ports[next % count]!;
    next += 1;
    const inner = http.request({ host: "127.0.0.1", port: own, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
      answer.once("error", () => response.destroy());
    });
    inner.once("error", () => response.destroy());
    call.pipe(inner);
  });
  async function close(): Promise<void> {
    front.closeAllConnections();
    front.close();
    await endAll(started.map((one) => one.close));
  }
  try {
    await new Promise<void>((resolve, reject) => {
      front.once("error", (error) =>
        reject(
          new SandboxError(
            "invalid_state",
            `Nothing can listen at port ${port}, behind which --start starts ${count} processes: ${error.message}.`,
            "End what listens there.",
          ),
        ),
      );
      front.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), resolve);
    });
    for (const own of ports) {
      const address = new URL(url);
      address.host = `127.0.0.1:${own}`;
      started.push(await startServer(command, address.href, env));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    hasEnded: () => started.some((one) => one.hasEnded()),
    begin() {
      next = 0;
    },
    restart: async () => void (await Promise.all(started.map((one) => one.restart()))),
    async crash(ended) {
      let left = count;
      let goOn = (): void => undefined;
      const all = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const afterAll = async (): Promise<void> => {
        left -= 1;
        if (left === 0) await ended?.();
        if (left === 0) goOn();
        await all;
      };
      await Promise.all(started.map((one) => one.crash(afterAll)));
    },
    close,
  };
}

async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createListener());
  const ports: number[] = [];
  for (const one of listeners) {
    await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
    ports.push((one.address() as AddressInfo).port);
  }
  await Promise.all(listeners.map((one) => new Promise((resolve) => one.close(resolve))));
  return ports;
}
