import { isMap, isSet } from "node:util/types";
import { resolveConfig } from "../../config/config.ts";
import { invalidState, misuse, SandboxError } from "../../errors/errors.ts";
import { shownValue } from "../../errors/shown.ts";
import { refuseUnknownOptions } from "../../errors/unknown-option.ts";
import type { ExploreLevel, ExploreOptions, ExploreResult } from "../../library/explore.ts";
import { isAddress, withScheme } from "../../runtime/http-url.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { wallNow } from "../../world/clock.ts";
import { MINUTE, parseDuration, SECOND } from "../../world/duration.ts";
import { checkInPlace, isTables, stateSource } from "../database/source.ts";
import { ruleName, savedFinding } from "../findings/finding-file.ts";
import { surveyLines, UNPAINTED } from "../findings/report.ts";
import { comparedIn, mainOf, surveyVerdict } from "../findings/verdict.ts";
import { createCrossings } from "../outside/crossing.ts";
import { chooseStories } from "../stories/sender-story.ts";
import { openApi, type StoryApi } from "../subject/api.ts";
import { remoteSubject } from "../subject/remote.ts";
import { checkPaths, type Json } from "../subject/state.ts";
import { FUNCTION_URL, type Handler, type Subject } from "../subject/subscriber.ts";
import { NothingExplored } from "./calm.ts";
import type { Survey } from "./exploration.ts";
import { exploreStories } from "./explore.ts";
import type { Serve } from "./options.ts";

/**
 * Explores with the library's options.
 * @throws SandboxError like `exploreSubscriber`; `bad_request` naming the invalid option; `invalid_state` if there is
 * no result
 */
export async function exploreFrom(given: ExploreOptions, serve: Serve): Promise<ExploreResult> {
  refuseUnknownOptions("explore", given, OPTIONS, "{ subscriber, state, reset }");
  const state = typeof given.state === "string" ? stateSource(given.state) : given.state;
  const options = { ...given, state };
  const { secret = "whsec_test", seed = "explore", deviations = 3, ignore = [], ordered = [] } = options;
  const { invariant, signal, apiPort } = options;
  checkOptions(options, seed, deviations);
  const settings = resolveConfig({}, wallNow());
  const stories = await chooseStories(
    { ...options, stories: options.story === undefined ? [] : [options.story] },
    settings,
    process.cwd(),
    secret,
  );
  const sender = stories[0]!.by?.sender;
  const timeout = positive("timeout", options.timeout ?? sender?.policy.timeout ?? 30 * SECOND);
  const api = apiPort === undefined ? undefined : await openApi(apiPort, createCrossings(), sender);
  const subject = subjectOf(options, timeout, api);
  try {
    const survey = await exploreStories({
      ...{ stories, subject, secret, seed, deviations, timeout, ignore, ordered, settings, signal, serve },
      budget: positive("budget", options.budget ?? MINUTE),
      isLimited: options.budget !== undefined,
      invariant: invariant ? { check: invariant, always: false } : null,
    });
    return await resultOf(survey, options);
  } catch (error) {
    if (error instanceof NothingExplored)
      return inconclusive(`${error.message} ${error.hintFor("library")}`, []);
    throw error;
  } finally {
    await subject.close();
  }
}

const OPTIONS: Record<keyof ExploreOptions, true> = {
  ...{
    subscriber: true,
    state: true,
    inPlace: true,
    reset: true,
    secret: true,
    story: true,
    sender: true,
    events: true,
  },
  ...{ deviations: true, budget: true, timeout: true, apiPort: true, ignore: true, ordered: true },
  ...{ invariant: true, seed: true, signal: true, known: true, version: true },
};

function checkOptions(options: ExploreOptions, seed: string, deviations: number): void {
  const { subscriber, state, reset, invariant, ignore, ordered, secret, apiPort, signal } = options;
  const either = (name: string, value: unknown, what: string) => {
    if (typeof value === "function") return;
    const isText = typeof value === "string" && value !== "";
    if (isText && (name === "reset" || isAddress(value) || (name === "state" && isTables(value)))) return;
    const message = isText
      ? `${name} must be ${what}, not "${withoutPasswords(value)}".`
      : `explore needs ${name}: ${what}.`;
    throw misuse(message, `For example: ${name}: "http://127.0.0.1:3000/${name}"`, name);
  };
  either(
    "subscriber",
    subscriber,
    "the webhook URL, or a function that takes a Request and returns a Response",
  );
  either(
    "state",
    state,
    "a URL that returns the subscriber's state as JSON, its database as sqlite:shop.db, postgres://… or mysql://…, or a function that returns it",
  );
  const isDatabase = typeof state !== "function" && isTables(state);
  if (isDatabase && reset === undefined) checkInPlace(state, options.inPlace);
  else either("reset", reset, "a URL, a shell command or a function that clears its state");
  const check = (fits: boolean, name: string, value: unknown, what: string, example: string) => {
    if (fits) return;
    const message = `${name} must be ${what}, not ${shownValue(value)}.`;
    throw misuse(message, `For example: ${name}: ${example}`, name);
  };
  const isInvariant = invariant === undefined || typeof invariant === "function";
  check(isInvariant, "invariant", invariant, "a function", "(state) => { if (state.revenue < 0) throw … }");
  if (ignore !== undefined) checkPaths(ignore, "ignore");
  if (ordered !== undefined) checkPaths(ordered, "ordered");
  check(secret === undefined || typeof secret === "string", "secret", secret, "a string", '"whsec_test"');
  const isPort = apiPort === undefined || isWhole(apiPort, 1, 65_535);
  check(isPort, "apiPort", apiPort, "a port from 1 to 65535", "4400");
  const isSignal = signal === undefined || typeof signal?.addEventListener === "function";
  check(isSignal, "signal", signal, "an AbortSignal", "AbortSignal.timeout(30_000)");
  check(typeof seed === "string" && seed !== "", "seed", seed, "a non-empty string", '"monday"');
  check(isWhole(deviations, 1, 9), "deviations", deviations, "a whole number from 1 to 9", "2");
}

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

function positive(name: string, value: unknown): number {
  const duration = parseDuration(value);
  if (duration > 0) return duration;
  throw misuse(`${name} must be longer than 0.`, `For example: ${name}: "30s"`, name);
}

/** Adds http:// to a URL without a scheme. */
const complete = <Value>(value: Value | string): Value | string =>
  typeof value === "string" && isAddress(value) ? withScheme(value) : value;

function subjectOf(options: ExploreOptions, timeout: number, api: StoryApi | undefined): Subject {
  const [subscriber, state] = [complete(options.subscriber), complete(options.state)];
  const isFunction = typeof subscriber === "function";
  return remoteSubject({
    url: isFunction ? FUNCTION_URL : subscriber,
    handler: isFunction ? (subscriber as Handler) : undefined,
    stateUrl: typeof state === "function" ? async () => asJson(await state()) : state,
    ...{ resetBy: complete(options.reset) ?? null, timeout, around: { api } },
  });
}

/** Copies a state as JSON, because the function may change its object later. */
function asJson(state: unknown): Json {
  if (state === undefined)
    throw misuse("state() returned undefined.", "Return the subscriber's state, for example { orders }.");
  try {
    return JSON.parse(JSON.stringify(state, plain));
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw misuse(
      `state() returned a value that JSON cannot represent: ${(error as Error).message.split("\n")[0]}.`,
      "Return plain values. Convert a bigint to a string; dates can stay as they are.",
    );
  }
}

/** Converts a value to JSON. Maps and Sets become objects, because their insertion order does not matter. */
function plain(key: string, value: unknown): unknown {
  if (isMap(value)) return Object.fromEntries([...value].map(([name, one]) => [fieldName(name), one]));
  if (isSet(value)) return Object.fromEntries([...value].map((one) => [fieldName(one), true]));
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  // JSON would serialize opaque objects as {}, hiding every difference.
  if (isOpaque(value, kind))
    throw misuse(
      `state() returned a ${kind}${key === "" ? "" : ` in ${key}`}, whose content JSON cannot represent.`,
      kind === "Promise" ? "Await it in state()." : "Return plain values, objects, lists, Maps and Sets.",
    );
  return value;
}

const fieldName = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value, plain) : String(value);

const isOpaque = (value: unknown, kind: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  !["Object", "Array", "Number", "String", "Boolean"].includes(kind) &&
  Object.keys(value).length === 0;

/** A result without a verdict, which a test must not mistake for success. */
const inconclusive = (story: string, covered: readonly ExploreLevel[]): ExploreResult => ({
  verdict: "inconclusive",
  ...totalsOf(covered),
  failure: {
    ...{ story, deviations: [], differences: [], invariant: null },
    ...{ runs: 0, wrong: 0, finding: null, file: null },
  },
});

const totalsOf = (covered: readonly ExploreLevel[]) => ({
  schedules: covered.reduce((sum, { tried }) => sum + tried, 0),
  compared: covered.reduce((sum, { compared }) => sum + compared, 0),
  covered: [...covered],
});

/** @throws SandboxError `invalid_state` for a flaky subscriber */
async function resultOf(survey: Survey, { invariant }: ExploreOptions): Promise<ExploreResult> {
  const verdict = surveyVerdict(survey);
  const text = () => surveyLines(survey, { paint: UNPAINTED, inCode: true }).join("\n");
  if (verdict === "not_deterministic")
    throw invalidState(text(), "Use ignore to exclude values that differ in every run.");
  const covered = survey.explorations.flatMap(({ story, levels }) =>
    levels.map((level) => ({
      ...{ story: story.name, deviations: level.deviations, schedules: level.schedules, tried: level.tried },
      compared: comparedIn([level]),
    })),
  );
  if (verdict === "inconclusive") return inconclusive(text(), covered);
  const main = mainOf(survey)!;
  const { finding } = main;
  const saved = finding && (await savedFinding(main, { invariant: ruleName(invariant?.name ?? "") }));
  return {
    verdict,
    ...totalsOf(covered),
    failure: finding && {
      story: text(),
      deviations: finding.run.schedule.map(({ at, kind, beside }) => ({
        ...{ attempt: at + 1, kind },
        ...(beside !== undefined && { beside: beside + 1 }),
      })),
      differences: finding.differences,
      invariant: finding.invariant?.message ?? null,
      ...{ runs: finding.runs, wrong: finding.wrong },
      ...{ finding: saved!.data, file: saved!.text },
    },
  };
}
