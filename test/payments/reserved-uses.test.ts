import { describe, expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { type SharedSandbox, sharedSandbox } from "../support/shared.ts";

const SLOW = { payments: { confirmationDelay: "10m" } } as const;

const open = (sandbox: SharedSandbox, link: Json) =>
  sandbox.openSession({ payment_link_id: link.id, amount: undefined });

const usesOf = async (sandbox: SharedSandbox, path: string) =>
  (await sandbox.api("GET", path)).body.current_uses;

describe("payments in progress", () => {
  const sandbox = sharedSandbox(SLOW);

  test("a payment in progress reserves a use of its link, and releases it if it fails [fidelity: Resources › Reserved uses]", async () => {
    const link = await sandbox.createLink({ max_uses: 1 });
    const path = `/payment-links/${link.id}`;
    const [one, two] = [await open(sandbox, link), await open(sandbox, link)];
    await sandbox.pay({ session_id: one.id, outcome: "failed" });
    const refused = await sandbox.control("POST", "/payments", { session_id: two.id });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "invalid_status_transition",
          message: `The payment link '${link.name}' is used up (1 of 1 uses, 1 of them reserved by payments in progress).`,
        },
      },
    });
    expect(await usesOf(sandbox, path)).toBe(0);
    await sandbox.advance("10m");

    const { transaction } = await sandbox.pay({ session_id: two.id });
    const again = await sandbox.control("POST", "/payments", { session_id: two.id });
    expect(again.body.error.message).toContain(transaction.id);
    await sandbox.advance("10m");
    expect(await usesOf(sandbox, path)).toBe(1);
    expect((await sandbox.control("POST", "/payments", { session_id: one.id })).status).toBe(400);
  });

  test("a payment in progress reserves a use of its discount code, and releases it if it fails [fidelity: Resources › Reserved uses]", async () => {
    const { body: code } = await sandbox.api("POST", "/discount-codes", {
      body: { code: "ONCE", discount_type: "percentage", discount_value: 10, max_uses: 1 },
    });
    const pay = async (fields: Json = {}) =>
      sandbox.control("POST", "/payments", {
        session_id: (await sandbox.openSession()).id,
        discount_code: "ONCE",
        ...fields,
      });
    const validate = async () =>
      (await sandbox.api("POST", "/discount-codes/validate", { body: { code: "ONCE", amount: "100" } })).body
        .reason;

    expect((await pay({ outcome: "failed" })).status).toBe(200);
    expect(await pay()).toMatchObject({
      status: 400,
      body: { error: { message: "The discount code 'ONCE' does not apply: used up." } },
    });
    expect(await validate()).toBe("used_up");
    await sandbox.advance("10m");
    expect(await validate()).toBe(null);

    expect((await pay()).status).toBe(200);
    await sandbox.advance("10m");
    expect(await usesOf(sandbox, `/discount-codes/${code.id}`)).toBe(1);
    expect((await pay()).status).toBe(400);
  });

  test("a payment in progress still reserves its use after a restore and a restart [fidelity: Resources › Reserved uses]", async () => {
    const dataDir = folderOf();
    const first = await startSandbox({ ...SLOW, dataDir });
    const link = await first.createLink({ max_uses: 1 });
    const other = await open(first, link);
    await first.pay({ session_id: (await open(first, link)).id });
    await first.control("POST", "/snapshots", { name: "reserved" });
    await first.advance("10m");
    await first.control("POST", "/snapshots/reserved/restore");
    const pay = (sandbox: TestSandbox) => sandbox.control("POST", "/payments", { session_id: other.id });
    expect((await pay(first)).status).toBe(400);
    await first.close();

    const second = await startSandbox({ ...SLOW, dataDir });
    expect((await pay(second)).status).toBe(400);
    await second.advance("10m");
    expect(await usesOf(second, `/payment-links/${link.id}`)).toBe(1);
  });
});
