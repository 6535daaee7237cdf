import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox, TOKEN } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
const START = "2026-01-15T09:00:00.000Z";
const LATER = "2026-01-15T09:01:00.000Z";

/** Creates, reads, changes and deletes a resource, and checks each response. */
async function liveThrough(
  sandbox: Sandbox,
  path: string,
  create: Record<string, unknown>,
  expected: Record<string, unknown>,
  update: Record<string, unknown>,
  /** Other fields that the update changes as well, such as aliases. */
  follows: Record<string, unknown> = { is_active: false },
) {
  const created = await sandbox.api("POST", path, { body: create });
  expect({ status: created.status, body: created.body }).toEqual({
    status: 201,
    body: { ...expected, created_at: START, updated_at: START },
  });
  const one = `${path}/${created.body.id}`;
  expect((await sandbox.api("GET", one)).body).toEqual(created.body);
  expect((await sandbox.api("GET", path)).body.data).toContainEqual(created.body);
  await sandbox.advance("1m");
  const updated = await sandbox.api("PATCH", one, { body: update });
  expect({ status: updated.status, body: updated.body }).toEqual({
    status: 200,
    body: { ...created.body, ...update, ...follows, updated_at: LATER },
  });
  expect((await sandbox.api("GET", one)).body).toEqual(updated.body);
  const deleted = await sandbox.api("DELETE", one);
  expect({ status: deleted.status, body: deleted.body }).toEqual({
    status: 200,
    body: { object: created.body.object, id: created.body.id, deleted: true },
  });
  expectError(await sandbox.api("GET", one), "resource_not_found");
  expect((await sandbox.api("GET", path)).body.data).not.toContainEqual(updated.body);
}

test("products are created, read, updated and deleted", async () => {
  const sandbox = await startSandbox();
  await liveThrough(
    sandbox,
    "/products",
    { name: "Mug", metadata: { sku: "M-1" } },
    {
      object: "product",
      id: expect.stringMatching(/^prod_[0-9A-Za-z]{16}$/),
      name: "Mug",
      description: null,
      amount: null,
      token_address: null,
      chain_id: null,
      image_url: null,
      active: true,
      is_active: true,
      metadata: { sku: "M-1" },
    },
    {
      name: "Cup",
      description: "Blue",
      amount: "1800",
      token_address: TOKEN,
      chain_id: 1,
      image_url: "https://shop.example/cup.png",
      active: false,
      metadata: {},
    },
  );
});

test("widgets are created, read, updated and deleted", async () => {
  const sandbox = await startSandbox();
  const link = await sandbox.createLink();
  await liveThrough(
    sandbox,
    "/widgets",
    { name: "Buy" },
    {
      object: "widget_config",
      id: expect.stringMatching(/^wid_[0-9A-Za-z]{16}$/),
      short_code: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
      url: expect.stringMatching(/\/platform\/widget\/[0-9A-Za-z]{6}$/),
      name: "Buy",
      description: null,
      widget_type: "button",
      config: {},
      theme: {},
      payment_link_id: null,
      active: true,
      is_active: true,
      current_views: 0,
    },
    {
      name: "Pay",
      description: "On the classes page",
      theme: { primary: "#0f766e", radius: 8 },
      widget_type: "inline-form",
      config: { colour: "#fff", sizes: [1, 2], deep: { er: null } },
      payment_link_id: link.id,
      active: false,
    },
  );
  const foreign = { body: { name: "Buy", payment_link_id: link.id }, key: sandbox.keys.other };
  expectError(await sandbox.api("POST", "/widgets", foreign), "resource_not_found", {
    param: "payment_link_id",
  });
});

describe("discount codes", () => {
  const sandbox = sharedSandbox();

  test("discount codes are created, read, updated and deleted", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    await liveThrough(
      sandbox,
      "/discount-codes",
      { code: "TEN", discount_type: "percentage", discount_value: 10 },
      {
        object: "discount_code",
        id: expect.stringMatching(/^disc_[0-9A-Za-z]{16}$/),
        code: "TEN",
        type: "percentage",
        value: "10",
        discount_type: "percentage",
        discount_value: 10,
        min_order_amount: null,
        max_uses: null,
        current_uses: 0,
        expires_at: null,
        payment_link_id: null,
        active: true,
        is_active: true,
      },
      {
        code: "FIVE",
        discount_type: "fixed",
        discount_value: "500",
        min_order_amount: "2000",
        max_uses: 3,
        expires_at: "2026-02-01T00:00:00.000Z",
        payment_link_id: link.id,
        active: false,
      },
      { type: "fixed", value: "500", is_active: false },
    );
  });

  test("discount codes are unique within their organization [fidelity: Resources › Discount codes]", async () => {
    const ten = { code: "TWELVE", discount_type: "percentage", discount_value: 10 };
    const create = (code: string, key = sandbox.keys.write) =>
      sandbox.api("POST", "/discount-codes", { body: { ...ten, code }, key });
    const first = await create("TWELVE");
    expectError(await create("TWELVE"), "duplicate_resource", { param: "code", says: "TWELVE" });
    expect((await create("TWELVE", sandbox.keys.other)).status).toBe(201);
    const second = await create("twelve");
    const one = `/discount-codes/${second.body.id}`;
    expectError(await sandbox.api("PATCH", one, { body: { code: "TWELVE" } }), "duplicate_resource", {
      param: "code",
    });
    expect((await sandbox.api("PATCH", one, { body: { code: "twelve" } })).status).toBe(200);
    await sandbox.api("DELETE", `/discount-codes/${first.body.id}`);
    expect((await create("TWELVE")).status).toBe(201);
  });

  test("a PATCH of a discount code rejects a type without its value, and vice versa", async () => {
    const body = { code: "TEN", discount_type: "percentage", discount_value: 10 };
    const { id } = (await sandbox.api("POST", "/discount-codes", { body })).body;
    const patch = (fields: unknown) => sandbox.api("PATCH", `/discount-codes/${id}`, { body: fields });
    for (const fields of [{ discount_type: "fixed" }, { discount_value: "500" }])
      expectError(await patch(fields), "invalid_field_value", { param: "discount_value" });
    expect((await patch({ discount_type: "fixed", discount_value: "500" })).body.discount_value).toBe("500");
    expectError(await patch({ discount_type: "percentage" }), "invalid_field_value", { says: 100 });
    expect((await patch({ discount_type: "percentage", discount_value: 12.5 })).body.discount_value).toBe(
      12.5,
    );
  });

  test("validating a discount code returns its discount, or why it does not apply [fidelity: Resources › Discount codes]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    const other = await sandbox.createLink();
    const create = async (code: string, type: string, value: unknown, rest = {}) => {
      const body = { code, discount_type: type, discount_value: value, ...rest };
      expect((await sandbox.api("POST", "/discount-codes", { body })).status).toBe(201);
    };
    await create("TEN", "percentage", 10);
    await create("THIRD", "percentage", 33.33);
    await create("CUT", "percentage", 33.335);
    await create("NEARLY", "percentage", 99.9999999999);
    await create("TINY", "percentage", 1e-7);
    // In floating point, 100 times 1.15 is slightly less than 115.
    await create("ODD", "percentage", 1.15);
    await create("ALL", "percentage", 100);
    await create("FIVE", "fixed", "500");
    await create("OFF", "fixed", "1", { active: false });
    await create("OLD", "fixed", "1", { expires_at: "2026-01-15T09:00:00Z" });
    await create("SOON", "fixed", "1", { expires_at: "2026-01-15T09:00:00.001Z" });
    await create("LINK", "fixed", "1", { payment_link_id: link.id });
    const huge = "9".repeat(78);
    const cases: [
      code: string,
      amount: string,
      linkId: string | null,
      off: string,
      final: string,
      reason: unknown,
    ][] = [
      ["TEN", "1000", null, "100", "900", null],
      ["TEN", "9", null, "0", "9", null],
      ["TEN", "0", null, "0", "0", null],
      ["TEN", huge, null, "9".repeat(77), String(BigInt(huge) - BigInt("9".repeat(77))), null],
      ["THIRD", "100", null, "33", "67", null],
      ["CUT", "1000000", null, "333300", "666700", null],
      ["NEARLY", "1000000", null, "999900", "100", null],
      ["TINY", "1000000", null, "0", "1000000", null],
      ["ODD", "10000", null, "115", "9885", null],
      ["ALL", "1234567", null, "1234567", "0", null],
      ["FIVE", "1000", link.id, "500", "500", null],
      ["FIVE", "499", null, "499", "0", null],
      ["SOON", "10", null, "1", "9", null],
      ["LINK", "10", link.id, "1", "9", null],
      ["LINK", "10", null, "0", "10", "other_payment_link"],
      ["LINK", "10", other.id, "0", "10", "other_payment_link"],
      ["OFF", "10", null, "0", "10", "inactive"],
      ["OLD", "10", null, "0", "10", "expired"],
      ["ten", "10", null, "0", "10", "not_found"],
    ];
    for (const [code, amount, linkId, off, final, reason] of cases) {
      const body = { code, amount, ...(linkId === null ? {} : { payment_link_id: linkId }) };
      const answer = await sandbox.api("POST", "/discount-codes/validate", { body });
      expect({ code, amount, status: answer.status, body: answer.body }).toEqual({
        code,
        amount,
        status: 200,
        body: {
          object: "discount_validation",
          valid: reason === null,
          discount_code: reason === null ? expect.objectContaining({ object: "discount_code", code }) : null,
          discount_amount: off,
          final_amount: final,
          reason,
        },
      });
    }
    const others = { body: { code: "TEN", amount: "10" }, key: sandbox.keys.other };
    expect((await sandbox.api("POST", "/discount-codes/validate", others)).body.reason).toBe("not_found");
    await sandbox.advance(1);
    const soon = await sandbox.api("POST", "/discount-codes/validate", {
      body: { code: "SOON", amount: "10" },
    });
    expect(soon.body.reason).toBe("expired");
  });

  test("a discount applies at payment, and counts as used when the payment completes [fidelity: Resources › Discount codes]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ amount: "1000" });
    const body = { code: "TEN", discount_type: "percentage", discount_value: 10, max_uses: 2 };
    const { id } = (await sandbox.api("POST", "/discount-codes", { body })).body;
    const uses = async () => (await sandbox.api("GET", `/discount-codes/${id}`)).body.current_uses;

    const failed = await sandbox.pay({ payment_link_id: link.id, discount_code: "TEN", outcome: "failed" });
    expect(failed.transaction).toMatchObject({ amount: "900", discount_code: "TEN" });
    expect(failed.session.discount_code).toBeNull();
    expect(await uses()).toBe(0);
    for (let use = 1; use <= 2; use += 1) {
      const { transaction, session } = await sandbox.pay({ payment_link_id: link.id, discount_code: "TEN" });
      expect(transaction).toMatchObject({ amount: "900", discount_code: "TEN", status: "completed" });
      expect(session).toMatchObject({ amount: "1000", discount_code: "TEN" });
      expect(await uses()).toBe(use);
    }
    for (const code of ["TEN", "NONE"]) {
      const answer = await sandbox.control("POST", "/payments", {
        payment_link_id: link.id,
        discount_code: code,
      });
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({
        status: 400,
        code: "invalid_field_value",
      });
    }
    const check = await sandbox.api("POST", "/discount-codes/validate", {
      body: { code: "TEN", amount: "10" },
    });
    expect(check.body).toMatchObject({ valid: false, reason: "used_up" });
    expect((await sandbox.pay({ payment_link_id: link.id })).transaction).toMatchObject({
      amount: "1000",
      discount_code: null,
    });
  });
});
