import { expect, test } from "vitest";
import { startBuiltProcess, startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { clientOf } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/** Kills a real process. test/payments/crash.test.ts and test/worlds/kills.test.ts simulate a kill at every moment. */

test.each([
  ["empty", 1],
  ["tuesday", 40],
] as const)(
  "kill -9 during the first start with seed %s, at statement %i, leaves a usable data folder",
  async (seed, statement) => {
    const dataDir = folderOf();
    const args = ["--port", "0", "--data-dir", dataDir, "--seed", seed];
    const preload = new URL("../support/kill-at-statement.mjs", import.meta.url).href;
    const killed = startCli(args, {
      env: { NODE_OPTIONS: `--import=${preload}`, KILL_AT_STATEMENT: String(statement) },
    });
    expect((await killed.ended).signal).toBe("SIGKILL");

    const { url } = await startBuiltProcess(args);
    const { body } = await clientOf(url).control("GET", "/worlds");
    expect(body).toMatchObject({ data: [{ name: "default", seed }], not_opened: [] });
    expect((await clientOf(url).createLink()).name).toBe("Tea");
  },
);

test("an attempt interrupted by kill -9 is sent again under the same delivery id [fidelity: Deliveries › Killed process]", async () => {
  const dataDir = folderOf();
  const args = ["--port", "0", "--data-dir", dataDir, "--seed", "empty"];
  const first = await startBuiltProcess(args);
  let killed = false;
  const subscriber = await startSubscriber((_received, response) => {
    if (!killed) first.process.kill("SIGKILL");
    killed = true;
    response.writeHead(200).end();
  });
  const before = clientOf(first.url);
  const webhook = await before.createWebhook(subscriber.url, { events: ["payment.completed"] });
  const session = await before.openSession();
  await before.control("POST", "/payments", { session_id: session.id }).catch(() => undefined);
  await first.ended;

  const second = await startBuiltProcess(args);
  await subscriber.arrived(2);
  const after = clientOf(second.url);
  await after.advance(0);
  const [was, is] = subscriber.received.map(({ headers, body }) => ({
    id: headers["x-platform-delivery-id"],
    body,
  }));
  expect(is).toEqual(was);
  expect((await after.api("GET", `/checkout-sessions/${session.id}`)).body.status).toBe("completed");
  expect(await after.deliveries(webhook.id)).toMatchObject([{ id: was!.id, status: "success", attempt: 1 }]);
});
