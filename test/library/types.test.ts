import { expect, test } from "vitest";
import { binOf, consumerProject } from "./consumer.ts";

/** What users write, with the types they may rely on; and what must not compile. */
const USE = `
import { createSandbox, defineConfig, keepOnFailure, SandboxError, verifySignature } from "sandglass";
import type { CreateSandboxOptions, Duration, RemoteSandbox, Rule, SandglassConfig, WorldOptions } from "sandglass";
import { connect } from "sandglass/client";
import type { RemoteSandbox as Remote } from "sandglass/client";
import { expect, test } from "sandglass/vitest";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>): void => {};

same<ReturnType<typeof createSandbox>, Promise<RemoteSandbox>>(true);
same<ReturnType<typeof connect>, Promise<RemoteSandbox>>(true);
same<Remote, RemoteSandbox>(true);
same<Parameters<typeof createSandbox>[0], CreateSandboxOptions | undefined>(true);
same<Parameters<typeof connect>[0], string | undefined>(true);
same<ReturnType<typeof verifySignature>, boolean>(true);

const config: SandglassConfig = defineConfig({ startAt: "2027-01-01T00:00:00Z", webhooks: { retryDelays: ["5s", 10] } });
const wait: Duration = "1h30m";
const rules: Rule[] = [];
const world: WorldOptions = { name: "mine", from: "default", startAt: 0, clock: { mode: "paused" } };
// @ts-expect-error no such field
defineConfig({ sede: "x" });
// @ts-expect-error a port is a number
void createSandbox({ port: "4400" });
void createSandbox({ ...config, port: false });
// @ts-expect-error a server has a port
defineConfig({ port: false });
// @ts-expect-error not a mode of the clock
const wrong: WorldOptions = { clock: { mode: "stopped" } };

export async function use(): Promise<void> {
  await using sandbox: RemoteSandbox = await createSandbox({ ...config, game: { rules } });
  const { url, world: name, keys } = sandbox;
  const texts: string[] = [url, name, keys.write, keys.read, sandbox.platform.baseUrl, sandbox.data.baseUrl];
  // @ts-expect-error the address is not changed
  sandbox.platform.baseUrl.toFixed();

  const fork = await sandbox.fork("branch");
  same<typeof fork, RemoteSandbox>(true);
  same<Awaited<ReturnType<RemoteSandbox["open"]>>, RemoteSandbox>(true);
  await sandbox.open(world);
  // @ts-expect-error a name is text
  await sandbox.fork(1);

  const events = await sandbox.events({ types: ["delivery.*"], after: 3 });
  for (const { seq, type, at, data } of events) {
    same<typeof seq, number>(true);
    same<typeof type, string>(true);
    same<typeof at, string>(true);
    texts.push(String(data.webhook_id));
  }
  await sandbox.events({ types: "delivery.*" });
  // @ts-expect-error a name is text
  await sandbox.events({ types: 1 });

  const { ledger, to } = await sandbox.clock.advance(wait);
  await sandbox.clock.advance({ until: "webhook.disabled" });
  await sandbox.clock.advance(1_000);
  // @ts-expect-error one of by, to and until
  await sandbox.clock.advance({ forward: "1h" });
  same<typeof to, string>(true);
  same<typeof ledger, typeof events>(true);

  const { transaction, deliveries } = await sandbox.payments.pay("coffee", { outcome: "failed", metadata: { a: "b" } });
  // @ts-expect-error a payment completes or fails
  await sandbox.payments.pay("coffee", { outcome: "maybe" });
  const status: "pending" | "confirming" | "completed" | "failed" = transaction.status;
  texts.push(status, ...deliveries.map((delivery) => delivery.webhook_id));

  const webhook = await sandbox.webhooks.create({ url, events: ["payment.completed"] });
  await sandbox.webhooks.fail(webhook.id, { kind: "status", status: 503, times: 2 });
  // @ts-expect-error no such fault
  await sandbox.webhooks.fail(webhook.id, { kind: "gremlins" });
  const { attempts } = await sandbox.webhooks.timeline(webhook.id);
  const codes: (number | null)[] = attempts.map((attempt) => attempt.response_code);
  const [message] = await sandbox.inbox("shop").messages();
  texts.push(message!.body, message!.headers["x-platform-signature"] ?? "");
  verifySignature(Buffer.from(message!.body), undefined, webhook.secret);
  verifySignature(new Uint8Array(), null, "whsec_x");
  // @ts-expect-error a parsed body is not what was signed
  verifySignature(JSON.parse("{}") as object, "", "");

  const [newest] = await sandbox.webhooks.deliveries(webhook.id);
  const { retry_of: retried } = await sandbox.webhooks.retry(webhook.id, newest!.id);
  const { success } = await sandbox.webhooks.test(webhook.id);
  same<typeof retried, string | null>(true);
  same<typeof success, boolean>(true);
  const link = await sandbox.payments.createLink({ name: "Tea", short_code: "teatea", amount: "1" });
  const { current_uses: uses } = await sandbox.payments.link(link.url);
  const session = await sandbox.payments.openSession("teatea", { expires_in: 600 });
  const state: "active" | "completed" | "expired" = (await sandbox.payments.session(session.id)).status;
  same<typeof uses, number>(true);
  // @ts-expect-error a link has a name
  await sandbox.payments.createLink({ amount: "1" });
  const { headers, body } = await sandbox.data.get<{ items: string[] }>("/explorer/addresses/0x/tokens");
  texts.push(state, headers["x-cache"] ?? "", ...body.items);
  const limited = await sandbox.platform.request("GET", "/payment-links", { key: null, headers: { "x-a": "b" } });
  same<typeof limited.status, number>(true);
  same<typeof limited.body, unknown>(true);
  await sandbox.game.call("set-state", { launcherJwt: "", state: "{}", label: "save" });

  const moment = await sandbox.snapshot("before");
  await sandbox.restore(moment);
  await sandbox.restore("before");
  try {
    await sandbox.close();
  } catch (error) {
    if (error instanceof SandboxError) texts.push(error.code, error.hint);
  }
  void codes;
  const kept = keepOnFailure(sandbox, "a test", () => 1);
  same<typeof kept, Promise<number>>(true);
  await keepOnFailure(sandbox, { name: "a test" }, async () => {});
  // @ts-expect-error a world is needed
  await keepOnFailure("a test", () => 1);
}

test("the fixture", async ({ sandbox }) => {
  same<typeof sandbox, RemoteSandbox>(true);
  expect(sandbox.url).toBe("");
  // @ts-expect-error no such part
  sandbox.nothing;
});
const optionsTest = test.extend({ sandboxOptions: { ...config, seed: "empty", startAt: "2027-01-01T00:00:00Z" } });
optionsTest.concurrent("the fixture, with options", async ({ sandbox, sandboxServer }) => {
  same<typeof sandbox, RemoteSandbox>(true);
  same<typeof sandboxServer, RemoteSandbox>(true);
});
test.override({ sandboxOptions: { seed: "empty", port: false } });
// @ts-expect-error a seed is a text
test.override({ sandboxOptions: { seed: 1 } });
void wrong;
`;

const OPTIONS = {
  target: "ES2023",
  lib: ["ES2023", "DOM", "ESNext.Disposable"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: ["node"],
};

test("types hold in a project of somebody else's, resolved by Node and by bundlers", {
  timeout: 60_000,
}, async () => {
  // Every declaration that ours lead to is checked once; that takes seconds, and is the same for both.
  const kinds = {
    nodenext: { module: "nodenext", moduleResolution: "nodenext", skipLibCheck: false },
    bundler: { module: "esnext", moduleResolution: "bundler", skipLibCheck: true },
  };
  const configs = Object.entries(kinds).map(([kind, options]) => [
    `${kind}.json`,
    JSON.stringify({ compilerOptions: { ...OPTIONS, ...options }, files: ["use.ts"] }),
  ]);
  const project = consumerProject(
    { "package.json": '{"type": "module"}', "use.ts": USE, ...Object.fromEntries(configs) },
    ["@types/node", "vitest"],
  );
  const told = await Promise.all(
    Object.keys(kinds).map((kind) => project.node([binOf("typescript/bin/tsc"), "-p", `${kind}.json`])),
  );
  expect(told.map(({ output }) => output)).toEqual(["", ""]);
  expect(told.map(({ code }) => code)).toEqual([0, 0]);
});
