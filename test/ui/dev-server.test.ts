import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { expect, onTestFinished, test, vi } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

test("npm run dev:ui serves the page from its sources, with the data of a running sandbox", async () => {
  const sandbox = await startSandbox();
  vi.stubEnv("SANDGLASS_URL", sandbox.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const configFile = fileURLToPath(new URL("../../ui/vite.config.ts", import.meta.url));
  const server = await createServer({
    configFile,
    logLevel: "silent",
    server: { host: "127.0.0.1", port: 0 },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const url = `http://127.0.0.1:${(server.httpServer!.address() as AddressInfo).port}`;
  const read = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).text();
  expect(await read("/")).toContain("/@vite/client");
  expect(await read("/main.tsx")).toContain("createApp");
  expect(JSON.parse(await read("/_sandbox/clock"))).toMatchObject({ mode: "paused" });
  const own = { origin: url, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const asked = { method: "POST", headers: own, body: JSON.stringify({ by: "1h" }) };
  expect(JSON.parse(await read("/_sandbox/clock/advance", asked))).not.toHaveProperty("error");
});
