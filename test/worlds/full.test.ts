import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const WITHOUT_ROOM = {
  status: 507,
  body: {
    error: {
      code: "world_full",
      message: "The world is full: a world in memory can store at most 1 GiB.",
      hint: expect.stringMatching(/reset.*--data-dir/),
    },
  },
};

/** A world for which there is no room in a temporary file stays in memory. */
beforeEach(() => void vi.stubEnv("TMPDIR", "/dev/null"));
afterEach(() => void vi.unstubAllEnvs());

/** Limits a world to this many additional pages of 4 KiB, instead of 1 GiB in total. */
function leaveRoom({ sandbox }: TestSandbox, pages: number): void {
  const { store } = sandbox.world;
  store.serialize();
  const { page_count: count } = store.sql<{ page_count: number }>("pragma page_count").get()!;
  store.sql(`pragma max_page_count = ${count + pages}`).get();
}

/** Makes payments until there is no room. Returns the rejected call, and the ids of the payments before it. */
async function payUntilFull(sandbox: TestSandbox) {
  const link = await sandbox.createLink();
  leaveRoom(sandbox, 40);
  const paid: string[] = [];
  for (;;) {
    const answer = await sandbox.control("POST", "/payments", { payment_link_id: link.id });
    if (answer.status >= 300) return { answer, paid, link };
    paid.push(answer.body.transaction.id);
  }
}

test("a full world rejects calls that need space, loses no data, and can be read, saved and reset", async () => {
  // The last payment waits for a delivery whose result does not fit.
  const sandbox = await startSandbox({ settleTimeout: "1s" });
  const subscriber = await startSubscriber();
  await sandbox.createWebhook(subscriber.url);
  const { answer, paid, link } = await payUntilFull(sandbox);
  expect(answer).toMatchObject(WITHOUT_ROOM);
  expect(paid.length).toBeGreaterThan(5);

  leaveRoom(sandbox, 0);
  for (let count = 0; count < 3; count += 1) {
    expect(await sandbox.control("POST", "/payments", { payment_link_id: link.id })).toMatchObject(
      WITHOUT_ROOM,
    );
    expect((await sandbox.control("GET", "/status")).status).toBe(200);
  }
  expect((await sandbox.api("GET", "/transactions")).body.total_count).toBe(paid.length);
  expect(await sandbox.journal("payment.completed")).toHaveLength(paid.length);
  const journal = await sandbox.journal();
  expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1));

  expect((await sandbox.control("POST", "/snapshots", { name: "full" })).status).toBe(201);
  expect((await sandbox.control("POST", "/reset")).status).toBe(200);
  await sandbox.createLink();
  expect((await sandbox.control("POST", "/snapshots/full/restore")).status).toBe(200);
  expect((await sandbox.api("GET", "/transactions")).body.total_count).toBe(paid.length);
});

test("every area of a full world rejects calls in its own format", async () => {
  const sandbox = await startSandbox();
  const token = (await sandbox.control("POST", "/game/tokens", {})).body.token;
  const { answer } = await payUntilFull(sandbox);
  expect(answer.status).toBe(507);
  leaveRoom(sandbox, 0);
  const message = expect.stringContaining("can store at most 1 GiB. Empty it with POST /_sandbox/reset.");
  const metadata = { filler: "x".repeat(450) };
  const filled = async (call: () => Promise<{ status: number; body: unknown }>) => {
    for (;;) {
      const answered = await call();
      if (answered.status >= 300) return answered;
    }
  };
  expect(
    await filled(() => sandbox.api("POST", "/checkout-sessions", { body: { amount: "1", metadata } })),
  ).toMatchObject({ status: 500, body: { error: { code: "internal_error", message } } });
  expect(
    await filled(() =>
      sandbox.call("POST", "/game/launcher/set-state", {
        body: { launcherJwt: token, label: "big", state: JSON.stringify("x".repeat(100_000)) },
      }),
    ),
  ).toMatchObject({ status: 500, body: { name: "GeneralError", message } });
});

test("an advance in a full world is rejected if it needs space, and continues once there is some", async () => {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber();
  await sandbox.createWebhook(subscriber.url);
  for (let count = 0; count < 200; count += 1) await sandbox.openSession();
  leaveRoom(sandbox, 2);
  expect(await sandbox.control("POST", "/clock/advance", { by: "1h" })).toMatchObject(WITHOUT_ROOM);
  leaveRoom(sandbox, 10_000);
  expect((await sandbox.advance({ by: "1h" })).reached).toBe(true);
  expect(await sandbox.journal("checkout.expired")).toHaveLength(200);
});
