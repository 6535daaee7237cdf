import { listed } from "../../timeline/text.ts";
import type { Answer, Hazard, Judgement } from "../hazards/hazard.ts";
import { BASELINE } from "../hazards/index.ts";
import { outputWords, printedWords } from "../subject/output.ts";
import type { Baseline, Beginning } from "./baseline.ts";
import type { CheckRequest } from "./craft.ts";
import { createExchange, isUnreachable } from "./exchange.ts";
import { steady, took } from "./judge.ts";
import { play } from "./play.ts";
import { isDoubtful, partsOf, type Recovery } from "./recovery.ts";
import { type HazardResult, withLaterRefusal, worstOf } from "./report.ts";
import type { Sender } from "./send.ts";
import type { SenderCalls } from "./sender-calls.ts";

export interface Trial
  extends Pick<Baseline, "supply" | "shown" | "refusedWith" | "resets">,
    Pick<Beginning, "terms" | "sender" | "probe" | "statements" | "output" | "own"> {
  options: { onResult?: ((result: HazardResult) => void) | undefined };
  calls: SenderCalls | undefined;
  recovery: Recovery;
  results: HazardResult[];
  accepted: Answer[];
  /** Why the check stops early; undefined while it continues. */
  over: string | undefined;
}

export interface Tried {
  answers: readonly Answer[];
  /** All responses, including those of second tries. */
  all: readonly Answer[];
  judged: Judgement;
}

/** Sends a hazard's requests and judges the responses, taking the first events into account. */
export async function run(trial: Trial, hazard: Hazard): Promise<Tried> {
  const { supply, sender, probe, accepted, refusedWith } = trial;
  const reset = trial.resets ? trial.recovery.reset : undefined;
  await reset?.();
  const exchange = createExchange(hazard, supply, sender, reset);
  const { answers, flakes } = exchange;
  const state = await play(hazard, exchange, { ...trial, reset });
  await probe?.rest();
  const steadied = steady(hazard.judge({ answers, state, accepted }), flakes);
  const aboutKnown = hazard.aboutKnown?.(supply.kit) ?? [];
  const excepted = await exceptNew(steadied, answers, aboutKnown, sender);
  const judged = await exceptCaused(excepted, answers, hazard.control?.(supply.kit), sender);
  const isAsValid = answers.some(({ status }) => status !== null && status === refusedWith);
  const proves = !isAsValid || (!hazard.mustAccept && answers.some(took));
  return {
    ...{ answers, all: exchange.allAnswers() },
    judged: proves ? judged : { verdict: "skipped", summary: asToValid(`It returned ${refusedWith}`) },
  };
}

/** Softens a failure if the server rejects events about new objects but accepts the same types about the known object. */
async function exceptNew(
  judged: Judgement,
  answers: readonly Answer[],
  aboutKnown: readonly CheckRequest[],
  sender: Sender,
): Promise<Judgement> {
  const refused = answers.filter(({ error, status }) => error !== null && status !== null);
  if (judged.verdict !== "fail" || aboutKnown.length === 0 || refused.length === 0) return judged;
  for (const { request } of refused) {
    const known = aboutKnown.find(({ type }) => type === request.type);
    if (known === undefined || (await sender.send(known)).error !== null) return judged;
  }
  const types = [...new Set(refused.map(({ request }) => request.type))];
  return {
    verdict: "warn",
    summary: `It ${refused[0]!.detail} to ${listed(types)} about a new object, but accepted the same events about the known one.`,
    fix: "If each of your users can have only one such object, for example because of a unique index, this is correct. Otherwise look in your server's log for these requests.",
  };
}

/** Draws no conclusion from a failure that the server also shows without what the hazard is about. */
async function exceptCaused(
  judged: Judgement,
  answers: readonly Answer[],
  control: CheckRequest | undefined,
  sender: Sender,
): Promise<Judgement> {
  const failed = answers.find(({ error }) => error !== null);
  if (judged.verdict !== "fail" || control === undefined || failed === undefined) return judged;
  const { detail, error } = await sender.send(control);
  if (error === null) return judged;
  return {
    verdict: "unknown",
    summary: `It ${failed.detail}, but it also ${detail} to ${control.what}, so this shows nothing.`,
    fix: "Look in your server's log for these requests.",
  };
}

const asToValid = (did: string): string => `${did}, as it does to valid events, which proves nothing.`;

/** Confirms a failure if the server still accepts valid events. Otherwise, tries the hazard on a freshly started server. */
export async function confirm(trial: Trial, hazard: Hazard, tried: Tried): Promise<Tried> {
  const isFirst = hazard.name === BASELINE;
  if (trial.over !== undefined)
    return tried.answers.some(isUnreachable) ? { ...tried, judged: stopped(trial, tried) } : tried;
  const after = trial.sender.acceptedCount();
  const refusal = await trial.recovery.refusal();
  if (!refusal) return tried;
  const restarted = await trial.recovery.restart();
  if (restarted !== "done") {
    if (restarted !== null) trial.over = `It could not be started again: ${restarted.message}`;
    if (isUnreachable(refusal)) return { ...tried, judged: stopped(trial, tried) };
    trial.refusedWith = refusal.status;
    if (refusal.status === null) trial.over = asToValid(`It ${refusal.detail}`);
  }
  if (isFirst) {
    if (restarted === "done") trial.refusedWith = null;
    return tried;
  }
  const { judged, ...again } = restarted === "done" ? await tryAgain(trial, hazard) : tried;
  // If a fresh server accepts as many other events, the failure is caused by the hazard itself.
  if (restarted === "done" && judged.verdict === "fail") return { ...again, judged };
  if (trial.results[0]!.verdict !== "fail") {
    trial.results[0] = withLaterRefusal(trial.results[0]!, { after, refusal, hazard: hazard.name });
    trial.options.onResult?.(trial.results[0]);
  }
  if (restarted === "done") return { ...again, judged };
  return { ...again, judged: { verdict: "skipped", summary: asToValid(`It ${refusal.detail}`) } };
}

/** Tries a hazard on a freshly started server, restarting it between independent parts as needed. */
async function tryAgain(trial: Trial, hazard: Hazard): Promise<Tried> {
  const { recovery } = trial;
  const isBroken = async (part: Hazard, tried: Tried) =>
    isDoubtful(part, tried) && (await recovery.refusal()) !== undefined;
  const tries: Tried[] = [];
  for (const part of partsOf(hazard, trial.supply.kit)) {
    let tried = await run(trial, part);
    let breaks = await isBroken(part, tried);
    if (breaks && tries.length > 0) {
      await recovery.restart();
      tried = await run(trial, part);
      breaks = await isBroken(part, tried);
    }
    if (breaks) tried.judged = await judgeBreaking(recovery, tried);
    tries.push(tried);
    if (breaks || tried.judged.verdict === "fail") break;
  }
  return {
    answers: tries.flatMap(({ answers }) => answers),
    all: tries.flatMap(({ all }) => all),
    judged: worstOf(tries.map(({ judged }) => judged)),
  };
}

/**
 * Judges a hazard after which even a fresh server rejects valid events, by comparing it with the same number of plain
 * events.
 */
async function judgeBreaking(recovery: Recovery, { judged, answers, all }: Tried): Promise<Judgement> {
  await recovery.restart();
  const isOwn = await recovery.accepts(all.length + 1);
  await recovery.restart();
  if (!isOwn)
    return {
      verdict: "skipped",
      summary: "Even after a restart, it does not accept as many valid events as this hazard needs.",
    };
  return answers.some(isUnreachable)
    ? ended("It stopped the server, and did so again after a restart", printedIn(all))
    : { ...judged, summary: `${judged.summary} After it, valid events fail, too.` };
}

/** The output of a started server before it stopped responding. */
const printedIn = (all: readonly Answer[]): string =>
  all.findLast(({ status, printed }) => status === null && printed !== "")?.printed ?? "";

const ended = (what: string, printed: string): Judgement => ({
  verdict: "fail",
  summary: `${what}${printedWords(printed)}.`,
  fix:
    outputWords(printed) ||
    "Look in your server's log for what stopped it, most likely an uncaught exception.",
});

/** The subscriber has stopped responding. */
function stopped(trial: Trial, { all }: Tried): Judgement {
  const [first] = all;
  trial.over ??= "The subscriber no longer accepts connections.";
  const isBefore = first && isUnreachable(first);
  const since = isBefore
    ? `${trial.results.at(-1)!.name} was the last hazard that it responded to`
    : "it did until this hazard";
  const printed = printedIn(all) || trial.output?.last() || "";
  return ended(`The subscriber no longer accepts connections: ${since}`, printed);
}
