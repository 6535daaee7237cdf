import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binOf, consumerProject, ROOT } from "./consumer.ts";

/** Code whose types users may rely on, and code that must not compile. */
const USE = `
import { createSandbox, defineConfig, keepOnFailure, SandboxError, verifySignature } from "sandglass";
import type { CreateSandboxOptions, Duration, JournalEntryName, RemoteSandbox, Rule, Sandbox, SandglassConfig, WorldOptions } from "sandglass";
import { connect } from "sandglass/client";
import type { Sandbox as Remote } from "sandglass/client";
import { expect, test } from "sandglass/vitest";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>): void => {};

same<ReturnType<typeof createSandbox>, Promise<Sandbox>>(true);
same<ReturnType<typeof connect>, Promise<Sandbox>>(true);
same<Remote, Sandbox>(true);
same<RemoteSandbox, Sandbox>(true);
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
  await using sandbox: Sandbox = await createSandbox({ ...config, game: { rules } });
  const { url, world: name, keys } = sandbox;
  const texts: string[] = [url, name, keys.write, keys.read, sandbox.platform.baseUrl, sandbox.data.baseUrl];
  // @ts-expect-error the base URL is a string
  sandbox.platform.baseUrl.toFixed();

  const fork = await sandbox.fork("branch");
  same<typeof fork, Sandbox>(true);
  same<Awaited<ReturnType<Sandbox["open"]>>, Sandbox>(true);
  await sandbox.open(world);
  // @ts-expect-error a name is a string
  await sandbox.fork(1);

  const events = await sandbox.events({ types: ["delivery.*"], after: 3 });
  for (const { seq, type, at, data } of events) {
    same<typeof seq, number>(true);
    same<typeof type, JournalEntryName>(true);
    same<typeof at, string>(true);
    texts.push(String(data.webhook_id));
  }
  await sandbox.events({ types: "delivery.*" });
  // @ts-expect-error no such entry
  await sandbox.events({ types: "delivery.lost" });
  // @ts-expect-error a type is a string
  await sandbox.events({ types: 1 });

  const { ledger, to } = await sandbox.clock.advance(wait);
  await sandbox.clock.advance({ until: "webhook.disabled" });
  await sandbox.clock.advance(1_000);
  for (const minutes of [1, 2]) await sandbox.clock.advance(\`\${minutes}m\`);
  await sandbox.clock.advance("1d2h30min");
  // @ts-expect-error not a duration
  await sandbox.clock.advance("1 fortnight");
  // @ts-expect-error not a unit
  await sandbox.clock.advance("3x");
  // @ts-expect-error no such entry
  await sandbox.clock.advance({ until: "webhook.exploded" });
  // @ts-expect-error not a mode of the clock
  await sandbox.clock.set({ mode: "fast" });
  // @ts-expect-error needs one of by, to and until
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
  // @ts-expect-error no such event
  await sandbox.webhooks.create({ url, events: ["payment.refunded"] });
  await sandbox.webhooks.create({ url, events: ["*"] });
  // @ts-expect-error no such state
  await sandbox.data.setProvider("indexer", { state: "gone" });
  await sandbox.data.setProvider("indexer", { state: "slow", latency: "2s", times: 1 });
  // @ts-expect-error no such area
  await sandbox.faults.set("payments", { status: 503 });
  // @ts-expect-error not a reason
  await sandbox.payments.pay("coffee", { outcome: "failed", failure_reason: "bored" });
  // @ts-expect-error a timeout has no status
  await sandbox.webhooks.fail(webhook.id, { kind: "timeout", status: 503 });
  await sandbox.webhooks.fail(webhook.id, { sequence: [500, "deliver", { kind: "timeout", passThrough: true }] });
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
  const [again] = await sandbox.webhooks.resend(newest!.event_id, { endpoint: webhook.id });
  const { succeeded, data: retries } = await sandbox.webhooks.retryFailed({ since: "2h", endpoint: webhook.id });
  same<typeof succeeded, number>(true);
  texts.push(again?.resend_of ?? "", ...retries.map(({ id }) => id));
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
    if (error instanceof SandboxError && error.code === "invalid_status_transition") texts.push(error.message);
    // @ts-expect-error no such code
    if (error instanceof SandboxError && error.code === "oops") texts.push(error.message);
  }
  void codes;
  const kept = keepOnFailure(sandbox, "a test", () => 1);
  same<typeof kept, Promise<number>>(true);
  await keepOnFailure(sandbox, { name: "a test" }, async () => {});
  // @ts-expect-error a world is required
  await keepOnFailure("a test", () => 1);
}

test("the fixture", async ({ sandbox }) => {
  same<typeof sandbox, Sandbox>(true);
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
// @ts-expect-error a seed is a string
test.override({ sandboxOptions: { seed: 1 } });
void wrong;
`;

/** A file that uses a scenario and all types, in a project that contains nothing but the declarations. */
const ALONE = `
import * as library from "sandglass";
import type * as Types from "sandglass";
import { connect } from "sandglass/client";

export default library.defineScenario({
  name: "story",
  title: "Story",
  params: { failures: { default: 2 }, answer: { default: "late", choices: ["late", "never"] } },
  async run({ sandbox, expect, params, step }) {
    const failures: number = params.failures;
    const answer: "late" | "never" = params.answer;
    const advance: Types.Advance = await step("Later", () => sandbox.clock.advance("1h"));
    expect(advance.ledger).toHaveLength(failures);
    expect(answer).not.toBe(expect.stringContaining("x"));
    await expect(sandbox.payments.pay("nothing")).rejects.toMatchObject({ code: "not_found" });
    // @ts-expect-error no such matcher
    expect(advance).toBeFunny();
  },
});

export async function use(clock: Types.Clock, fault: Types.Fault): Promise<Types.Payment> {
  await using sandbox: Types.Sandbox = await connect();
  const endpoint: Types.WebhookEndpoint = await sandbox.webhooks.create(sandbox.inbox("shop").url);
  await sandbox.webhooks.fail(endpoint.id, fault);
  const timeline: Types.Timeline = await sandbox.webhooks.timeline(endpoint.id);
  const delivery: Types.Delivery = await sandbox.webhooks.retry(endpoint.id, timeline.attempts[0]!.delivery_id);
  // @ts-expect-error not a delivery status
  if (delivery.status === "delivered") await clock.pause();
  const entries: Types.JournalEntry[] = await sandbox.events();
  // @ts-expect-error no such entry
  entries.find(({ type }) => type === "delivery.delivered");
  return (await sandbox.payments.pay("coffee")).transaction;
}
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

test("the published types compile in a user's project, whether resolved by Node or a bundler", async () => {
  // Declarations that ours depend on are checked only once: this takes seconds, and the result is the same for both.
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

test("the types of the library and the client require no other package", async () => {
  const project = consumerProject({ "package.json": '{"type": "module"}', "use.ts": ALONE }, []);
  const folder = join(project.folder, "node_modules/sandglass");
  rmSync(folder);
  for (const file of ["package.json", ...["index", "client"].map((name) => `dist/types/${name}.d.ts`)])
    cpSync(join(ROOT, file), join(folder, file));
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--types", ""];
  const { output, code } = await project.node([binOf("typescript/bin/tsc"), ...options, "use.ts"]);
  expect(output).toBe("");
  expect(code).toBe(0);
});
