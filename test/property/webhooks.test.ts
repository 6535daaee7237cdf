import fc from "fast-check";
import { expect, test } from "vitest";
import { paymentsArea } from "../../src/payments/area.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { type Command, Model } from "../support/webhook-model.ts";
import { START, withoutWallTime } from "../support/webhooks.ts";

const FAULTS = {
  ok: { kind: "status", status: 200 },
  fail: { kind: "status", status: 500 },
  timeout: { kind: "timeout" },
} as const;

const plain = (name: "pay" | "enable" | "disable" | "delete" | "test") => fc.constant({ do: name });
const commands = (behaviours: ("ok" | "fail" | "timeout")[], lengths: number[]) =>
  fc.array(
    fc.oneof<fc.WeightedArbitrary<Command>[]>(
      { weight: 10, arbitrary: plain("pay") },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("behave"), as: fc.constantFrom(...behaviours) }) },
      { weight: 7, arbitrary: fc.record({ do: fc.constant("advance"), ms: fc.constantFrom(...lengths) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("retry"), nth: fc.nat(60) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("resend"), nth: fc.nat(60) }) },
      { weight: 1, arbitrary: plain("test") },
      { weight: 1, arbitrary: plain("enable") },
      { weight: 1, arbitrary: plain("disable") },
      {
        weight: 1,
        arbitrary: fc.oneof(
          { weight: 4, arbitrary: plain("pay") },
          { weight: 1, arbitrary: plain("delete") },
        ),
      },
    ),
    { minLength: 1, maxLength: 30, size: "max" },
  );

/** Makes the same calls to a world from within the process, where faults take no real time. */
async function startReal({ sandbox }: TestSandbox) {
  await sandbox.reset("empty");
  const payments = sandbox.part(paymentsArea);
  const { id: org } = payments.organizations.main();
  const caller = { org, ip: "127.0.0.1", method: "POST", path: "/" };
  const { id } = payments.endpoints.create(caller, {
    url: "http://127.0.0.1:9/",
    events: ["payment.completed"],
  });
  const events: string[] = [];
  sandbox.webhooks.fail({ id, ...FAULTS.ok });

  async function run(command: Command): Promise<unknown> {
    switch (command.do) {
      case "advance":
        return sandbox.clock.advance({ by: command.ms });
      case "behave":
        return sandbox.webhooks.fail({ id, ...FAULTS[command.as] });
      case "pay": {
        const before = sandbox.webhooks.engine.events.count();
        await sandbox.payments.pay({ session_id: payments.sessions.open(org, null, { amount: "1" }).id });
        await sandbox.clock.advance({ by: 0 });
        return events.push(sandbox.webhooks.engine.events.since(before)[0] ?? "nobody subscribes");
      }
      case "enable":
        return sandbox.webhooks.enable({ id }, { url: "/" });
      case "disable":
        return sandbox.webhooks.disable({ id }, { url: "/" });
      case "delete":
        return payments.endpoints.delete(caller, id);
      case "test":
        return sandbox.webhooks.engine.deliveries.test(org, id);
      case "retry": {
        const { attempts } = sandbox.webhooks.engine.timeline(id, 10_000);
        const target = attempts[command.nth % attempts.length];
        return sandbox.webhooks.engine.deliveries.retry(org, id, target?.delivery_id ?? "del_none");
      }
      case "resend": {
        const { attempts } = sandbox.webhooks.engine.timeline(id, 10_000);
        const target = attempts[command.nth % attempts.length];
        return sandbox.webhooks.resend({ id: target?.delivery_id ?? "del_none" });
      }
    }
  }

  return {
    run: (command: Command) =>
      run(command).then(
        () => true,
        () => false,
      ),
    timeline: () => sandbox.webhooks.engine.timeline(id, 10_000),
    state() {
      const { status, counter, attempts, planned } = sandbox.webhooks.engine.timeline(id, 10_000);
      const offset = (instant: string) => Date.parse(instant) - START;
      return {
        now: offset(sandbox.clock.state().now),
        status,
        failures: counter.consecutive_failures,
        mails: payments.mail.list().length,
        attempts: attempts.map((mark: Json) => ({
          event: events.indexOf(mark.event_id),
          attempt: mark.attempt,
          trigger: mark.trigger,
          at: offset(mark.started_at),
          result: mark.status,
        })),
        pending: planned.map((mark: Json) => ({
          event: events.indexOf(mark.event_id),
          attempt: mark.attempt,
          due: offset(mark.due_at),
        })),
      };
    },
  };
}

const stateOf = ({ now, status, failures, mails, attempts, pending }: Model) => ({
  now,
  status,
  failures,
  mails,
  attempts,
  pending,
});

/** Runs the commands in both in parallel. `before` is how long to wait before each command that may send something. */
async function agree(sandbox: TestSandbox, script: Command[], before: number): Promise<void> {
  const real = await startReal(sandbox);
  const model = new Model();
  for (const command of script) {
    const steps: Command[] = [command];
    if (before > 0 && ["pay", "retry", "resend", "test"].includes(command.do))
      steps.unshift({ do: "advance", ms: before });
    for (const step of steps) {
      expect(await real.run(step), JSON.stringify(step)).toBe(model.run(step));
      expect(real.state()).toEqual(stateOf(model));
    }
  }
}

const LENGTHS = [0, 1, 29_999, 30_000, 59_999, 60_000, 120_000, 600_000, 3_600_000, 10_000_000];

test("random sequences of commands behave like the model, including simultaneous attempts", async () => {
  const sandbox = await startSandbox();
  await fc.assert(
    fc.asyncProperty(commands(["ok", "fail", "fail"], LENGTHS), (script) => agree(sandbox, script, 0)),
    { numRuns: 20, interruptAfterTimeLimit: 25_000 },
  );
});

test("random sequences of commands behave like the model, including overlapping timeouts", async () => {
  const sandbox = await startSandbox();
  const whole = [0, 29_000, 30_000, 60_000, 61_000, 90_000, 600_000, 3_600_000, 10_000_000];
  await fc.assert(
    // Waiting 1 ms before each command ensures that a timeout and a retry of two events never happen at the same
    // instant.
    fc.asyncProperty(commands(["ok", "fail", "timeout"], whole), (script) => agree(sandbox, script, 1)),
    { numRuns: 20, interruptAfterTimeLimit: 25_000 },
  );
});

test("an advance split at random leaves the same journal and timeline as a single one", async () => {
  const sandbox = await startSandbox();
  const script = commands(["ok", "fail", "timeout"], LENGTHS);
  const cuts = fc.array(fc.integer({ min: 1, max: 5_000_000 }), { maxLength: 12 });
  const total = 12_000_000;
  await fc.assert(
    fc.asyncProperty(script, cuts, async (commandsBefore, pieces) => {
      const outcomes: unknown[] = [];
      for (const cut of [[], pieces]) {
        const real = await startReal(sandbox);
        for (const command of commandsBefore) await real.run(command);
        let left = total;
        for (const piece of cut) {
          const ms = Math.min(left, piece);
          await real.run({ do: "advance", ms });
          left -= ms;
        }
        await real.run({ do: "advance", ms: left });
        const journal = sandbox.sandbox.journal.list({ limit: 10_000 });
        outcomes.push(withoutWallTime({ journal, timeline: real.timeline() }));
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: 20, interruptAfterTimeLimit: 25_000 },
  );
});
