import { expect, test, vi } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox } from "../support/sandbox.ts";

/** The machine's clock, which this file moves. It is in place before the sandbox takes it. */
const machine = vi.hoisted(() => {
  const now = performance.now.bind(performance);
  const ahead = { ms: 0 };
  performance.now = () => now() + ahead.ms;
  return ahead;
});

test("the rate limit passes with real time, too, so that a paused clock traps no caller", async () => {
  const sandbox = await startSandbox({ payments: { rateLimit: 1 } });
  const ask = () => sandbox.api("GET", "/payment-links");
  expect((await ask()).status).toBe(200);
  machine.ms += 30_000;
  const refused = await ask();
  expectError(refused, "rate_limit_exceeded");
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(30);
  machine.ms += 30_000;
  const answer = await ask();
  expect({ status: answer.status, remaining: answer.headers.get("x-ratelimit-remaining") }).toEqual({
    status: 200,
    remaining: "0",
  });
  const { body } = await sandbox.control("GET", "/clock");
  expect(body).toMatchObject({ mode: "paused", now: "2026-01-15T09:00:00.000Z" });
});
