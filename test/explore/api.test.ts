import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { type ExploreOptions, explore } from "../../src/index.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { configured, expectMisuse, runCli } from "../support/cli.ts";
import { listenForTest } from "../support/listen.ts";
import { portOfItsOwn } from "../support/ports.ts";
import type { Json } from "../support/sandbox.ts";
import { readEvent } from "./handlers.ts";

/** How a handler responds if the API returns an error. */
type OnRefusal = (status: number) => Response;
const later: OnRefusal = () => new Response(null, { status: 503 });

/**
 * A shop that does not trust events, and reads its order's sessions from the API instead.
 * @param remembers whether it ignores events that it has already handled
 */
async function openReader({ onRefusal = later, remembers = false } = {}) {
  const apiPort = await portOfItsOwn();
  let orders: Record<string, string> = {};
  let seen = new Set<string>();
  const options: ExploreOptions = {
    ...{ apiPort, story: "expiry-race", deviations: 1, state: () => ({ orders }) },
    reset() {
      orders = {};
      seen = new Set();
    },
    async subscriber(request) {
      const { type, key, order, isTest } = await readEvent(request as Request);
      if (isTest || type === "checkout.completed" || (remembers && seen.has(key))) return { status: 200 };
      const response = await fetch(`http://127.0.0.1:${apiPort}/platform/api/v1/checkout-sessions`, {
        headers: { authorization: `Bearer ${SEEDED_KEYS.write}` },
      });
      if (!response.ok) return onRefusal(response.status);
      const { data } = (await response.json()) as Json;
      const sessions: Json[] = data.filter((one: Json) => one.client_reference_id === order);
      orders[order] = sessions.some(({ status }) => status === "completed") ? "paid" : "cancelled";
      seen.add(key);
      return { status: 200 };
    },
  };
  return options;
}

describe("a subscriber that reads the platform's API", () => {
  it("explore serves the platform's API as of the replayed moment, and passes a handler that reads it correctly", async () => {
    const { failure, covered } = await explore(await openReader());
    expect(failure?.story).toBeUndefined();
    // Two attempts call the API. In each attempt, a call may be rejected, fail or be slow.
    expect(covered).toMatchObject([{ schedules: 38, tried: 38, compared: 38 }]);
  });

  it("explore finds a handler that mistakes an API error for data", async () => {
    const { failure } = await explore(await openReader({ onRefusal: () => new Response() }));
    expect(failure?.deviations).toEqual([{ attempt: 2, kind: "api-429" }]);
    expect(failure?.story).toContain("and a call returns 429");
  });

  it("explore finds a handler that writes stale data after handling a newer event", async () => {
    const { failure } = await explore(await openReader({ remembers: true }));
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "api-slow" }]);
    expect(failure?.differences).toEqual([{ path: "orders.order-7", expected: "paid", actual: "cancelled" }]);
  });

  it("explore reports which API port it cannot listen on", async () => {
    const port = await listenForTest(createServer());
    await expect(explore({ ...(await openReader()), apiPort: port })).rejects.toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining(`cannot be served on port ${port}`),
    });
    await expect(explore({ ...(await openReader()), apiPort: 0 })).rejects.toMatchObject({
      message: "apiPort must be a port from 1 to 65535, not 0.",
    });
    const args = ["explore", "localhost:1", "--state", "echo 1", "--reset", "true", "--secret", "whsec_a"];
    expectMisuse(await runCli([...args, ...configured({ apiPort: 0 })]), /subject\.apiPort must be /);
    expectMisuse(
      await runCli([...args, ...configured({ at: "later" })]),
      /subject\.at must be an ISO 8601 point in time/,
    );
  });
});
