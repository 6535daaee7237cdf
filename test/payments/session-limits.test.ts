import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

test("a session's status can only be changed from active to expired, not even to itself [fidelity: Payments platform › Sessions · Resources › Session updates]", async () => {
  const sandbox = await startSandbox();
  const { id } = await sandbox.openSession();
  const patch = (status: string) => sandbox.api("PATCH", `/checkout-sessions/${id}`, { body: { status } });
  const refused = { status: 400, body: { error: { code: "invalid_status_transition", param: "status" } } };
  expect(await patch("active")).toMatchObject(refused);
  expect(await patch("completed")).toMatchObject(refused);
  expect(await patch("expired")).toMatchObject({ status: 200, body: { status: "expired" } });
  expect(await patch("expired")).toMatchObject(refused);
  expect(await patch("completed")).toMatchObject(refused);
  const paid = await sandbox.control("POST", "/payments", { session_id: id });
  expect(paid.body.error.hint).toMatch(
    /^Open one with POST \/api\/v1\/checkout-sessions, or pay a payment link/,
  );
});

test("the first payment wins if two open sessions of a link share one use [fidelity: Resources › Closed links]", async () => {
  const sandbox = await startSandbox();
  const link = await sandbox.createLink({ max_uses: 1 });
  const [one, two] = [
    await sandbox.openSession({ payment_link_id: link.id, amount: undefined }),
    await sandbox.openSession({ payment_link_id: link.id, amount: undefined }),
  ];
  await sandbox.pay({ session_id: one.id });
  const late = await sandbox.control("POST", "/payments", { session_id: two.id });
  expect(late).toMatchObject({ status: 400, body: { error: { code: "invalid_status_transition" } } });
  expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body.current_uses).toBe(1);
});
