import "./runtime/require-node.ts";
import { test as base } from "vitest";
import type { Sandbox } from "./library/index.ts";
import { createSandbox } from "./library.ts";

/**
 * Vitest's `test` with a `sandbox`: a world of its own for each test that asks for it, from the default seed, with a
 * clock that stands still. The worlds of a file share one server, which ends with it.
 * @example
 * test("a payment completes", async ({ sandbox }) => {
 *   const { transaction } = await sandbox.payments.pay("coffee");
 *   expect(transaction.status).toBe("completed");
 * });
 */
export const test = base.extend<{ sandboxServer: Sandbox; sandbox: Sandbox }>({
  sandboxServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it that nothing else is needed
    async ({}, use) => {
      await using server = await createSandbox();
      await use(server);
    },
    { scope: "file" },
  ],
  sandbox: async ({ sandboxServer }, use) => {
    await using world = await sandboxServer.open();
    await use(world);
  },
});

export { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
