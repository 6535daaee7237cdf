import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALLERS, type Caller, exploreServer, isWrong, STEPS, type Step, serverOf } from "./callers.ts";

/** How many times to explore each correct handler. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
/** How many handlers to generate, and from which seed. A failing test's title contains the seed. */
const DRAWN = Number(process.env.DRAWN ?? 12);
const SEED = Number(process.env.SEED ?? 1);

const CORRECT = Object.entries(CALLERS).filter(([, caller]) => isWrong(caller) === false);
const WRONG = Object.entries(CALLERS).filter(([, caller]) => isWrong(caller) === true);

const isFound = async (caller: Caller): Promise<boolean> => {
  const { code, text } = await exploreServer(serverOf(caller));
  expect([0, 1], text).toContain(code);
  return code === 1;
};

describe("explore with handlers that send e-mails", () => {
  it.each(WRONG)("explore finds the bug in a handler that %s", async (_name, caller) => {
    expect(await isFound(caller)).toBe(true);
  });

  it.each(CORRECT.flatMap((one) => Array.from({ length: ROUNDS }, () => one)))(
    "explore finds nothing wrong in a handler that %s",
    async (_name, caller) => {
      const { code, text } = await exploreServer(serverOf(caller));
      expect([code, text]).toEqual([0, expect.stringContaining("No difference")]);
    },
  );

  it("explore accepts a crash between a call and its record, which no handler can avoid, and mentions it once", async () => {
    const { code, text } = await exploreServer(
      serverOf(CALLERS["mails inside the transaction that records the event"]!),
    );
    expect(
      text.match(/Accepted, because no handler can avoid it: a \w+(?: \w+)* right after POST/g),
    ).toHaveLength(1);
    expect([code, text]).toEqual([0, expect.stringContaining("No difference with up to 1 deviation")]);
  });

  it("explore finds nothing wrong in a handler whose e-mails contain a random code and a time", async () => {
    const server = serverOf(CALLERS["mails inside the transaction that records the event"]!).replace(
      'subject: "Order " + order',
      `subject: \`Order \${order}\`, text: \`Your code is \${Math.random()}, at \${new Date().toISOString()}.\``,
    );
    const { code, text } = await exploreServer(server);
    expect(text).toContain('parts of strings (effects["api.mailer.example"].*.fields.text)');
    expect(code).toBe(0);
  });

  it(`explore agrees with a brute-force search about ${DRAWN} handlers generated with seed ${SEED}`, async () => {
    const caller: fc.Arbitrary<Caller> = fc.record({
      steps: fc.array(fc.constantFrom<Step>(...STEPS), { minLength: 2, maxLength: 6 }).filter(isPlayable),
      onFailure: fc.constantFrom("fails", "goes on", "undoes"),
    });
    const drawn = fc
      .sample(caller, { numRuns: 40 * DRAWN, seed: SEED })
      .map((one) => ({ one, wrong: isWrong(one) }))
      .filter(({ wrong }) => wrong !== null);
    // Most generated handlers are wrong, so put the correct ones first.
    const right = drawn.filter(({ wrong }) => wrong === false).slice(0, DRAWN / 2);
    const all = [...right, ...drawn.filter(({ wrong }) => wrong === true).slice(0, DRAWN - right.length)];
    expect(right.length).toBeGreaterThan(2);
    for (const { one, wrong } of all) expect(await isFound(one), JSON.stringify(one)).toBe(wrong);
  });
});

/** Whether the steps contain exactly one mail, and at most one complete transaction. */
function isPlayable(steps: readonly Step[]): boolean {
  const [begins, commits] = (["begin", "commit"] as const).map((step) =>
    steps.flatMap((one, index) => (one === step ? index : [])),
  ) as [number[], number[]];
  const mails = steps.filter((step) => step === "mail" || step === "keyed");
  const isWhole =
    begins.length === commits.length && begins.length <= 1 && (begins[0] ?? -1) <= (commits[0] ?? 0);
  return mails.length === 1 && isWhole && new Set(steps).size === steps.length;
}
