import fc from "fast-check";
import { expect, test } from "vitest";
import { type EndpointState, NEW_ENDPOINT } from "../../src/timeline/endpoint-state.ts";
import {
  type Attempt,
  countsNothing,
  DEFAULT_POLICY,
  decide,
  forecast,
  type PlannedAttempt,
  type WebhookPolicy,
} from "../../src/webhooks/policy.ts";

const policies: fc.Arbitrary<WebhookPolicy> = fc.record({
  retryDelays: fc.array(fc.integer({ min: 1, max: 10_000_000 }), { maxLength: 5 }),
  timeout: fc.constant(30_000),
  disableAfter: fc.record({
    consecutive: fc.integer({ min: 1, max: 20 }),
    count: fc.constantFrom("attempts", "exhausted"),
  }),
});
const endpoints: fc.Arbitrary<EndpointState> = fc.record({
  status: fc.constantFrom("enabled", "disabled", "deleted"),
  consecutiveFailures: fc.nat(25),
  firstFailedAt: fc.option(fc.nat(2 ** 40)),
});
/** A possible history of attempts: at least one automatic attempt has started, and no more than the policy allows. */
const attemptsOf = (policy: WebhookPolicy): fc.Arbitrary<Attempt> =>
  fc.record({
    trigger: fc.constantFrom("automatic", "manual", "test", "resend"),
    ok: fc.boolean(),
    endedAt: fc.nat(2 ** 40),
    plan: fc.record({
      state: fc.constantFrom("active", "delivered", "exhausted", "skipped"),
      attempts: fc.integer({ min: 1, max: policy.retryDelays.length + 1 }),
    }),
  });
const cases = policies.chain((policy) => fc.tuple(fc.constant(policy), endpoints, attemptsOf(policy)));

const check = (property: (policy: WebhookPolicy, endpoint: EndpointState, attempt: Attempt) => void) =>
  fc.assert(
    fc.property(cases, ([policy, endpoint, attempt]) => property(policy, endpoint, attempt)),
    { numRuns: 500 },
  );

test("decide() never modifies its arguments and always returns the same result for them", () => {
  check((policy, endpoint, attempt) => {
    const before = JSON.stringify([policy, endpoint, attempt]);
    const first = decide(policy, endpoint, attempt);
    expect(decide(policy, endpoint, attempt)).toEqual(first);
    expect(JSON.stringify([policy, endpoint, attempt])).toBe(before);
  });
});

test("a test delivery and a resend change nothing", () => {
  check((policy, endpoint, attempt) => {
    for (const trigger of ["test", "resend"] as const) {
      const effects = decide(policy, endpoint, { ...attempt, trigger });
      expect(effects).toEqual({ endpoint, plan: attempt.plan.state, disable: false });
    }
  });
});

test("a success resets the counter, ends the retry schedule and does not change the status", () => {
  check((policy, endpoint, attempt) => {
    fc.pre(!countsNothing(attempt.trigger));
    expect(decide(policy, endpoint, { ...attempt, ok: true })).toEqual({
      endpoint: { ...NEW_ENDPOINT, status: endpoint.status },
      plan: "delivered",
      nextAttemptAt: null,
      disable: false,
    });
  });
});

test("every failure increments the counter, unless only events that have run out of retries count", () => {
  check((policy, endpoint, attempt) => {
    fc.pre(!countsNothing(attempt.trigger));
    const { endpoint: after } = decide(policy, endpoint, { ...attempt, ok: false });
    const last = attempt.trigger === "automatic" && attempt.plan.attempts === policy.retryDelays.length + 1;
    const counted = policy.disableAfter.count === "attempts" || last ? 1 : 0;
    expect(after.consecutiveFailures).toBe(endpoint.consecutiveFailures + counted);
  });
});

test("only the failure that reaches the limit disables an endpoint, and only an enabled one", () => {
  check((policy, endpoint, attempt) => {
    const { disable, endpoint: after } = decide(policy, endpoint, attempt);
    expect(disable).toBe(endpoint.status === "enabled" && after.status === "disabled");
    if (disable) {
      expect(attempt.ok).toBe(false);
      expect(after.consecutiveFailures).toBeGreaterThanOrEqual(policy.disableAfter.consecutive!);
    } else expect(after.status).toBe(endpoint.status);
  });
});

test("a retry follows only after a failed automatic attempt of an active schedule, timed from its end", () => {
  check((policy, endpoint, attempt) => {
    const effects = decide(policy, endpoint, attempt);
    const { state, attempts } = attempt.plan;
    const retried =
      attempt.trigger === "automatic" &&
      !attempt.ok &&
      state === "active" &&
      attempts <= policy.retryDelays.length &&
      effects.endpoint.status === "enabled";
    if (retried) {
      expect(effects.plan).toBe("active");
      expect(effects.nextAttemptAt).toBe(attempt.endedAt + policy.retryDelays[attempts - 1]!);
    } else expect(effects.nextAttemptAt ?? null).toBe(null);
  });
});

test("an ended retry schedule stays ended, unless the event is delivered later", () => {
  check((policy, endpoint, attempt) => {
    fc.pre(attempt.plan.state !== "active");
    const { plan, nextAttemptAt } = decide(policy, endpoint, attempt);
    expect([attempt.plan.state, "delivered"]).toContain(plan);
    expect(nextAttemptAt ?? null).toBe(null);
  });
});

test("a failed manual attempt leaves an enabled endpoint's retry schedule unchanged", () => {
  check((policy, endpoint, attempt) => {
    const effects = decide(policy, endpoint, { ...attempt, trigger: "manual", ok: false });
    fc.pre(effects.endpoint.status === "enabled");
    expect(effects.plan).toBe(attempt.plan.state);
    expect(effects).not.toHaveProperty("nextAttemptAt");
  });
});

const plans: fc.Arbitrary<PlannedAttempt[]> = fc
  .array(fc.record({ attempt: fc.integer({ min: 1, max: 4 }), dueAt: fc.nat(2 ** 40) }), { maxLength: 12 })
  .map((list) => list.map((entry, index) => ({ ...entry, eventId: `evt_${index}` })));

test("the forecast lists every remaining attempt in order, up to the one that disables the endpoint", () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: 0, max: 9 }), (planned, consecutiveFailures) => {
      const left = planned.reduce((sum, { attempt }) => sum + 5 - attempt, 0);
      const untilDisabled = 10 - consecutiveFailures;
      const { attempts, disabledAt } = forecast(
        DEFAULT_POLICY,
        { ...NEW_ENDPOINT, consecutiveFailures },
        planned,
      );
      expect(attempts).toHaveLength(Math.min(left, untilDisabled));
      expect(disabledAt).toBe(left >= untilDisabled ? attempts.at(-1)!.dueAt : null);
      const times = attempts.map(({ dueAt }) => dueAt);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }),
  );
});

test("the forecast spaces each event's attempts by the contract's delays", () => {
  const delays = [60_000, 600_000, 3_600_000];
  fc.assert(
    fc.property(plans, (planned) => {
      const { attempts } = forecast(DEFAULT_POLICY, NEW_ENDPOINT, planned);
      const latest = new Map<string, PlannedAttempt>();
      for (const next of attempts) {
        const before = latest.get(next.eventId);
        if (before) {
          expect(next.attempt).toBe(before.attempt + 1);
          expect(next.dueAt).toBe(before.dueAt + delays[before.attempt - 1]!);
        } else expect(planned).toContainEqual(next);
        latest.set(next.eventId, next);
      }
    }),
  );
});

test("no attempts are forecast for a disabled or deleted endpoint", () => {
  fc.assert(
    fc.property(plans, fc.constantFrom("disabled" as const, "deleted" as const), (planned, status) => {
      expect(forecast(DEFAULT_POLICY, { ...NEW_ENDPOINT, status, consecutiveFailures: 3 }, planned)).toEqual({
        attempts: [],
        disabledAt: null,
      });
    }),
  );
});
