import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

/** A delay that is long enough for a world to be removed while a call waits. */
const LATENCY_MS = 300;

for (const [area, method, path, body] of [
  ["platform", "GET", "/platform/api/v1/payment-links", undefined],
  ["data", "GET", "/data/insights/v1/tokens/lookup?symbol=USDC", undefined],
  ["game", "POST", "/game/launcher/get-states", {}],
] as const)
  test(`a waiting call to the ${area} API returns 404 if its world is deleted`, async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const world = await sandbox.makeWorld({ name: "short" });
    const token = (await world.control("GET", "/status")).body.player.token;
    await world.control("PUT", `/faults/${area}`, { latency: LATENCY_MS });
    const waiting = world.call(method, path, {
      key: sandbox.keys.write,
      ...(body === undefined ? {} : { body: { launcherJwt: token, ...body } }),
    });
    expect((await sandbox.control("DELETE", "/worlds/short")).status).toBe(200);
    const { status, text } = await waiting;
    expect({ status, text }).toEqual({
      status: 404,
      text: expect.stringMatching(/was closed in the meantime|no world/),
    });
  });
