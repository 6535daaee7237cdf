import { type SandboxError, unreachable } from "../../errors/errors.ts";
import { abortable } from "../../runtime/abortable.ts";
import { TLS_ADVICE } from "../../timeline/attempt.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import { mayLackRow } from "../fitting/leads.ts";
import type { Answer, Hazard, Judgement } from "../hazards/hazard.ts";
import { BASELINE, hazardsOf, type SenderHazards } from "../hazards/index.ts";
import type { ExploreOptions, Serve } from "../schedules/options.ts";
import type { Answered } from "../subject/answered.ts";
import { createEffectReader } from "../subject/effects.ts";
import { outputWords, printedWords } from "../subject/output.ts";
import { remoteSubject } from "../subject/remote.ts";
import type { Subject } from "../subject/subscriber.ts";
import { tryFirstEvents } from "./baseline.ts";
import { createCraft } from "./craft.ts";
import { isUnreachable } from "./exchange.ts";
import { makeMaterial, type OwnData } from "./material.ts";
import { openPlatform, PLATFORM, type PlatformHeaders } from "./platform.ts";
import { createStateProbe } from "./probe.ts";
import { createRecovery, isDoubtful } from "./recovery.ts";
import { createWhyRefused, type WhyRefused } from "./refused-signature.ts";
import { type CheckReport, checkReport, type HazardResult, hazardResult } from "./report.ts";
import { createSender } from "./send.ts";
import { openSenderCalls, type SenderCalls } from "./sender-calls.ts";
import { createSupply } from "./supply.ts";
import { type Terms, termsOf } from "./terms.ts";
import { confirm, run, type Trial, type Tried } from "./trial.ts";
import { type WatchedState, watchState } from "./watched-state.ts";

export interface CheckOptions
  extends PlatformHeaders,
    Pick<ExploreOptions, "seed" | "secret" | "secretFrom" | "timeout" | "fitting"> {
  /** The time of new events, in milliseconds since the epoch. */
  at: number;
  event: string;
  /** The sender; by default, the platform. */
  sender?: FileSender | undefined;
  /** The event types to send; by default, all of the sender's. */
  types?: readonly string[] | undefined;
  /** User-written data by event type. */
  own?: OwnData | undefined;
  oldSecret?: string | undefined;
  url: string;
  /** The source of a state that changes only when an event is handled: a URL, a database or a shell command. */
  stateUrl?: string | undefined;
  /** The database tables to compare; by default, all. */
  tables?: readonly string[] | undefined;
  /** The server under test, if it is already open. It stays open, and its state is not reset afterwards. */
  subject?: Subject | undefined;
  /** Serves a world for the server's calls to the sender's API. */
  serve?: Serve | undefined;
  /** Hazards to try in addition to the valid event (by default, all), and hazards to skip. */
  only?: readonly string[] | undefined;
  skip?: readonly string[] | undefined;
  /** Aborts the check, which then restores tables and throws the signal's reason. */
  signal?: AbortSignal | undefined;
  onStart?: ((hazard: Hazard) => void) | undefined;
  /** Called with each result, and again with the valid event's if such events are rejected later. */
  onResult?: ((result: HazardResult) => void) | undefined;
}

/**
 * Checks a subscriber: sends it the requests that subscribers encounter, and judges its responses. Sends requests only
 * to the subscriber. See docs/check.md.
 * @throws SandboxError `unreachable` if nothing accepts requests at the URL, or the state cannot be read; `bad_request`
 * if the state changes on its own; `invalid_state` if another program changes it, or tables cannot be restored
 */
export async function checkSubscriber(options: CheckOptions): Promise<CheckReport> {
  try {
    return await checkOnce(options);
  } catch (error) {
    if (!(error instanceof LacksRow)) throw error;
  }
  const { sender, event, fitting, signal } = options;
  const fitted = await fitting!.find().catch((error) => {
    throw signal?.aborted ? signal.reason : error;
  });
  if (!fitted) return checkOnce({ ...options, fitting: undefined });
  const { knowing, effective } = fitted;
  return checkOnce({
    ...{ ...options, fitting: undefined, sender: knowing(sender!) },
    event: effective.includes(event) ? event : (effective[0] ?? event),
  });
}

/** A valid event had no effect, and may need a row that exists in the user's database under another id. */
class LacksRow extends Error {}

async function checkOnce(options: CheckOptions): Promise<CheckReport> {
  const { url, tables, timeout, seed, at, event, own, signal, serve } = options;
  const began = wallNow();
  const terms = chosenTerms(options);
  const { hazards, leftOut } = chosenHazards(options);
  const subject =
    options.subject ??
    remoteSubject({ ...{ url, tables, timeout }, stateUrl: options.stateUrl ?? null, resetBy: null });
  let state: WatchedState | undefined;
  let calls: SenderCalls | undefined;
  const around = <Result>(send: () => Promise<Result>, body: string | null): Promise<Result> => {
    calls?.sending(body);
    return state ? state.around(send) : send();
  };
  const sender = createSender(timeout, terms.policy.succeeds, around, subject.server);
  const resume = subject.statements?.pause();
  try {
    const ledger = subject.outside?.ledger;
    const whose = options.sender ?? (await openPlatform(options));
    if (options.sender?.facts.api && subject.api && serve)
      calls = await openSenderCalls(whose, { api: subject.api, ledger, serve }, options);
    const effects = calls ?? createEffectReader({ ledger, api: undefined });
    if (subject.state.source !== null) state = await watchState(subject.state, effects);
    const craft = createCraft(whose, options);
    const supply = createSupply(
      (making) =>
        // Assign instead of spreading: copying the object would create all events.
        Object.assign(
          makeMaterial(whose, { ...making, types: terms.types, at, own, onMade: calls?.made }),
          craft,
        ),
      // Events without an id are distinguished by the object that they are about.
      { seed, event, about: terms.isPlatform || terms.facts.id === undefined ? terms.facts.about : [] },
    );
    const started = {
      ...{ options, terms, sender, calls, results: [], accepted: [], over: undefined, supply },
      whyRefused: createWhyRefused(whose, sender, supply, options),
      probe: state && (await createStateProbe(sender, state)),
      ...{ statements: subject.statements, output: subject.server?.output },
      ...{ shown: undefined, refusedWith: null, resets: false, own },
    };
    const trial: Check = Object.assign(started, { recovery: createRecovery(subject, started) });
    const trying = tryAll(trial, hazards);
    await (signal ? abortable(trying, signal) : trying);
    const facts = {
      ...{ url, seed, at: iso(at), event: trial.supply.making.event, timeout_ms: timeout },
      sender: whose.name,
      header_prefix: terms.isPlatform ? options.headerPrefix : null,
      state_url: subject.state.source,
      left_out: leftOut,
      unknown_calls: [...((await calls?.unknownCalls()) ?? [])],
      duration_ms: wallNow() - began,
    };
    return checkReport(trial.results, facts, { ...terms, isIdle: trial.shown?.how === "never" });
  } finally {
    resume?.();
    sender.close();
    if (!options.subject) await subject.close();
    await calls?.close();
  }
}

type Choice = Pick<CheckOptions, "sender" | "types" | "oldSecret" | "only" | "skip"> &
  Partial<Pick<CheckOptions, "event">>;

function chosenTerms({ sender = PLATFORM, event, types, oldSecret }: Choice): Terms {
  const all = types ?? sender.events;
  return termsOf(sender, event === undefined || all.includes(event) ? all : [event, ...all], oldSecret);
}

/** The hazards to try, in order, and the chosen ones that the sender cannot cause. */
export function chosenHazards(choice: Choice): SenderHazards {
  const { only, skip = [] } = choice;
  const isChosen = ({ name }: { name: string }) =>
    name === BASELINE || ((only?.includes(name) ?? true) && !skip.includes(name));
  const { hazards, leftOut } = hazardsOf(chosenTerms(choice));
  return { hazards: hazards.filter(isChosen), leftOut: leftOut.filter(isChosen) };
}

/** A check in progress. */
type Check = Trial & { options: CheckOptions; whyRefused: WhyRefused };

/** Tries hazards one by one, skipping those whose responses would show nothing. */
async function tryAll(trial: Check, hazards: readonly Hazard[]): Promise<void> {
  const { results, options } = trial;
  const { onResult } = options;
  /**
   * Results that are held back, because the check may start again with the user's rows and would then report them
   * twice.
   */
  let held: HazardResult[] | undefined = options.fitting && [];
  trial.options = { ...options, onResult: (result) => (held ? held.push(result) : onResult?.(result)) };
  const lastLacking = hazards.findLastIndex(({ aboutKnown }) => aboutKnown !== undefined);
  const release = () => {
    for (const result of held ?? []) onResult?.(result);
    held = undefined;
  };
  for (const [index, hazard] of hazards.entries()) {
    if (options.signal?.aborted) break;
    if (trial.over === undefined) options.onStart?.(hazard);
    results.push(
      trial.over === undefined
        ? await tryOne(trial, hazard)
        : hazardResult(hazard, { verdict: "skipped", summary: trial.over }, trial.terms),
    );
    trial.options.onResult!(results.at(-1)!);
    if (index >= lastLacking) release();
  }
  release();
}

async function tryOne(trial: Check, hazard: Hazard): Promise<HazardResult> {
  const { results, accepted, calls, terms, options } = trial;
  const began = wallNow();
  const first = await (hazard.name === BASELINE ? begin : run)(trial, hazard);
  if (results.length === 0 && first.all[0] && isUnreachable(first.all[0]))
    throw notListening(options.url, first.all[0], trial.output?.last());
  // Later events may need a row that the first one does not.
  if (options.fitting && hazard.aboutKnown && first.judged.verdict === "fail") throw new LacksRow();
  const { answers, all, judged } = isDoubtful(hazard, first) ? await confirm(trial, hazard, first) : first;
  if (hazard.mustAccept && judged.verdict !== "skipped") accepted.push(...answers);
  const isSeen = hazard.mustAccept && !answers.some(isUnreachable);
  const seen = isSeen && calls ? await calls.asFarAsKnown(judged) : judged;
  const { remark } = hazard;
  const isRemark = remark !== undefined && seen.verdict === "fail" && isSeen;
  const result: Judgement = isRemark
    ? { ...seen, verdict: "warn", summary: `${seen.summary} ${remark}` }
    : seen;
  return hazardResult(hazard, result, terms, all, wallNow() - began);
}

async function begin(trial: Check, hazard: Hazard): Promise<Tried> {
  const { fitting, sender } = trial.options;
  const onFirst = ({ isAccepted, statements = [], sent }: Answered) => {
    if (fitting && mayLackRow({ isAccepted, statements, ...sent }, sender!.facts)) throw new LacksRow();
  };
  const { judged, exchange, all, ...found } = await tryFirstEvents({ ...trial, hazard, onFirst });
  Object.assign(trial, found);
  const hasEffect = trial.supply.making.event === trial.options.event && trial.shown?.how !== "never";
  const isUnexplained = trial.statements?.seesAll === false && !(judged.verdict === "pass" && hasEffect);
  if (fitting && isUnexplained) throw new LacksRow();
  const first = exchange.answers[0]!;
  const isRefused = judged.verdict === "fail" && first.error !== null;
  const fix = isRefused ? await trial.whyRefused(first) : undefined;
  await trial.probe?.rest();
  if (isRefused) trial.over = "A valid event was not accepted, so other responses prove nothing.";
  return {
    answers: exchange.answers,
    all,
    judged: fix === undefined ? judged : { ...judged, fix: [fix, judged.fix].filter(Boolean).join(" ") },
  };
}

/** @param printed the last lines printed by a started server that has exited */
function notListening(url: string, { detail, error }: Answer, printed = ""): SandboxError {
  const { protocol } = new URL(url);
  return unreachable(
    `The subscriber at ${url} ${detail}${printedWords(printed)}.`,
    printed !== ""
      ? outputWords(printed)
      : error === "tls"
        ? TLS_ADVICE
        : error === "dns"
          ? "Check the host in the URL."
          : `Start it first, and check host and port. ${protocol === "https:" ? "Does it speak https?" : ""}`.trimEnd(),
  );
}
