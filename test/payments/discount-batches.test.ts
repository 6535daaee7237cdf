import { expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();

const terms = { type: "percentage", value: "15", max_uses: 1, min_order_amount: "100" };

test("a batch of codes with invalid terms or an invalid list creates no codes", async () => {
  const batch = (body: Record<string, unknown>) => sandbox.api("POST", "/discount-codes/batch", { body });
  for (const [body, code, param] of [
    [{ ...terms, codes: [] }, "invalid_field_value", "codes"],
    [{ ...terms, codes: Array.from({ length: 101 }, String) }, "invalid_field_value", "codes"],
    [{ ...terms, codes: ["A", 5] }, "invalid_field_value", "codes[1]"],
    [{ ...terms, codes: ["A"], value: "101" }, "invalid_field_value", "value"],
    [{ codes: ["A"], value: "10" }, "missing_required_field", "discount_type"],
    [{ codes: ["A"], type: "fixed" }, "missing_required_field", "discount_value"],
    [terms, "missing_required_field", "codes"],
  ] as const)
    expectError(await batch(body), code, { param });
  expect((await sandbox.api("GET", "/discount-codes")).body.total_count).toBe(0);
});

test("a batch of codes creates the valid ones and gives a reason for each of the others [fidelity: Shapes of published clients › Discount batches]", async () => {
  const batch = (codes: string[], rest = {}) =>
    sandbox.api("POST", "/discount-codes/batch", { body: { codes, ...terms, ...rest } });
  await sandbox.api("POST", "/discount-codes", { body: { code: "OLD", type: "fixed", value: "1" } });
  const answer = await batch(["A-1", "OLD", "A-2", "A-1", "two words", "x".repeat(65), ""]);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    object: "batch_result",
    created: ["A-1", "A-2"].map((code) =>
      expect.objectContaining({ object: "discount_code", code, value: "15", max_uses: 1 }),
    ),
    errors: ["OLD", "A-1", "two words", "x".repeat(65), ""].map((code) => ({
      code,
      error: expect.stringMatching(/\S\.$/),
    })),
  });
  expect(answer.body.errors[0].error).toContain("already exists");
  const list = await sandbox.api("GET", "/discount-codes");
  expect(list.body.total_count).toBe(3);
  const trail = await sandbox.api("GET", "/events?type=discount_code.created");
  expect(trail.body.data).toHaveLength(3);
  const elsewhere = await sandbox.api("POST", "/discount-codes/batch", {
    body: { codes: ["A-1"], ...terms },
    key: sandbox.keys.other,
  });
  expect(elsewhere.body.errors).toEqual([]);
});
