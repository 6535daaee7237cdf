import fc from "fast-check";
import { expect, it } from "vitest";
import { begunAttempt, type SentAttempt } from "../../src/trial/schedules/attempt.ts";
import { extensions } from "../../src/trial/schedules/schedule.ts";
import { standIns } from "../../src/trial/schedules/stand-ins.ts";
import type { Statement } from "../../src/trial/statements/statements.ts";

/** The possible steps of a generated handler, with the text that the database or the service receives. */
const STEPS = {
  begin: "begin",
  commit: "commit",
  look: "select id from events where id = $1",
  note: "insert into events (id) values ($1)",
  add: "update accounts set total = total + ?",
  read: "select total from accounts where id = ? for update",
  charge: "POST /v1/charges",
  fetch: "GET /v1/customers/?",
} as const;
type Step = keyof typeof STEPS;

const handler: fc.Arbitrary<Step[]> = fc.array(
  fc.constantFrom<Step>("begin", "commit", "look", "note", "add", "read", "charge", "fetch"),
  { minLength: 1, maxLength: 6 },
);

interface Shop {
  noted: number;
  total: number;
  charges: number;
}
const [EMPTY, CALL] = [{ noted: 0, total: 0, charges: 0 }, /^[A-Z]+ \//];

/**
 * Runs a handler until it finishes or is killed. If it sees that the event was already handled, it does nothing more.
 * @param before the number of the statement before which it is killed, starting at 1
 * @returns the data that was stored, and the statements
 */
function run(steps: readonly Step[], kept: Shop, before = Number.POSITIVE_INFINITY) {
  let [lasting, own] = [{ ...kept }, undefined as Shop | undefined];
  const made: Statement[] = [];
  const texts = new Map<string, number>();
  const make = (step: Step): boolean => {
    if (made.length + 1 >= before) return false;
    const text = STEPS[step];
    texts.set(text, (texts.get(text) ?? 0) + 1);
    made.push({
      ...{
        text,
        number: made.length + 1,
        occurrence: texts.get(text)!,
        of: CALL.test(text) ? "api" : "postgres",
      },
      ...{ by: 1, order: made.length, inTransaction: own !== undefined && !CALL.test(text) },
      ...{ hasOwnCommit: false, effects: [], result: null, met: null, isSteady: true },
    });
    const seen = own ?? lasting;
    if (step === "begin") own ??= { ...lasting };
    else if (step === "commit" && own) [lasting, own] = [{ ...own, charges: lasting.charges }, undefined];
    else if (step === "note") seen.noted += 1;
    else if (step === "add") seen.total += 1;
    else if (step === "charge") lasting.charges += 1;
    return true;
  };
  for (const step of steps) {
    const isKnown = step === "look" && (own ?? lasting).noted > 0;
    if (!make(step)) return { lasting, made };
    if (isKnown) break;
  }
  if (own) make("commit");
  return { lasting, made };
}

const attemptWith = (statements: Statement[]): SentAttempt => ({
  ...begunAttempt(
    { headers: {}, body: "", lane: "", origin: "", path: "", timeout: () => 0 },
    { id: "1", webhookId: "1", eventId: "1", event: "order.paid", attempt: 1, trigger: "automatic" },
    {
      at: 0,
      pause: 0,
      deviation: null,
      beside: null,
      point: null,
      background: false,
      twiceSigned: false,
      second: false,
    },
  ),
  ...{ status: 200, arrivals: 1, statements },
});

it("the selected crash points find every bug that crashing at every statement would find", () => {
  let left = 0;
  fc.assert(
    fc.property(handler, (steps) => {
      const { made } = run(steps, EMPTY);
      const attempts = [attemptWith(made)];
      const isCrash = (kind: string) => kind === "crash" || kind === "crash-after";
      const all = extensions([], attempts, null, isCrash).filter(([one]) => one!.point);
      const { played, stoodFor } = standIns(all, attempts, new Set());
      /** The state after a crash and the subsequent retry. */
      const after = ([one]: (typeof played)[number]): string => {
        const { number } = one!.point!;
        const { lasting } = run(steps, EMPTY, one!.kind === "crash" ? number : number + 1);
        return JSON.stringify(run(steps, lasting).lasting);
      };
      expect(new Set(played.map(after))).toEqual(new Set(all.map(after)));
      left += stoodFor.length;
    }),
    { numRuns: 500 },
  );
  expect(left).toBeGreaterThan(0);
});
