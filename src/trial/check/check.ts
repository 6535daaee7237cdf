import { SandboxError } from "../../errors/errors.ts";
import { abortable } from "../../runtime/abortable.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { TLS_ADVICE } from "../../timeline/attempt.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import type { Answer, Hazard, Judgement } from "../hazards/hazard.ts";
import { assumedFor, BASELINE, hazardsOf, type SenderHazards } from "../hazards/index.ts";
import type { Serve } from "../schedules/options.ts";
import type { StoryApi } from "../subject/api.ts";
import { type RemoteOptions, remoteSubject } from "../subject/remote.ts";
import type { Subject } from "../subject/subscriber.ts";
import { type Baseline, tryFirstEvents } from "./baseline.ts";
import { createCraft } from "./craft.ts";
import { createExchange } from "./exchange.ts";
import { steady, took } from "./judge.ts";
import { type Making, makeMaterial } from "./material.ts";
import { openPlatform, PLATFORM, type PlatformHeaders } from "./platform.ts";
import { play } from "./play.ts";
import { createStateProbe, type StateProbe } from "./probe.ts";
import {
  type CheckReport,
  countVerdicts,
  findingOf,
  type HazardResult,
  hazardResult,
  overallVerdict,
} from "./report.ts";
import { createSender, type Missing, type Sender } from "./send.ts";
import { openSenderCalls, type SenderCalls } from "./sender-calls.ts";
import { createSupply, type Supply } from "./supply.ts";
import { type Terms, termsOf } from "./terms.ts";
import { type WatchedState, watchState } from "./watched-state.ts";

export interface CheckOptions extends PlatformHeaders {
  seed: string;
  /** When the events happen that are sent as new ones, milliseconds since the epoch. */
  at: number;
  /** The type of most events. */
  event: string;
  /** Who sends; the platform without it. */
  sender?: FileSender | undefined;
  /** The types of its events that are sent; all of them by default. */
  types?: readonly string[] | undefined;
  /** A secret that was replaced. */
  oldSecret?: string | undefined;
  /** Where the receiver takes events. */
  url: string;
  /** The secret that the receiver has. */
  secret: string;
  /** What gave it, such as `--secret`. */
  secretFrom?: string | undefined;
  /** Real milliseconds that one answer may take. */
  timeout: number;
  /** A state that changes when an event is handled, and not otherwise: a URL, a database or a shell command. */
  stateUrl?: string | undefined;
  /** Of a database: the tables that count; all without it. */
  tables?: readonly string[] | undefined;
  /** The server's process, where it was started for the check, on a copy of its database. */
  started?: Pick<RemoteOptions, "server" | "work" | "api" | "statements"> | undefined;
  /** The API of the sender that it calls, and what serves a world for it. */
  calls?: { api: StoryApi; serve: Serve } | undefined;
  /** The server under test, where it was opened for other trials as well: what the check leaves in its state is reset. */
  subject?: Subject | undefined;
  /** Names of hazards to try beside the valid event (all when absent), and to leave out. */
  only?: readonly string[] | undefined;
  skip?: readonly string[] | undefined;
  /** Ends it: tables are put back then, and its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Hears that a hazard is being tried. */
  onStart?: ((hazard: Hazard) => void) | undefined;
  /** Called with its result. */
  onResult?: ((result: HazardResult) => void) | undefined;
}

/** Errors of a first request that say that nothing takes requests there at all. */
const UNREACHED = new Set(["connection_refused", "dns", "tls"]);

/**
 * Tries a webhook receiver: sends it what happens to receivers, and judges the answers. Nothing is sent elsewhere.
 * See docs/check.md.
 * @throws SandboxError `unreachable` when nothing takes requests at the URL, or the state cannot be read; `bad_request` when the
 *   state changes by itself; `invalid_state` if another program changes it, or tables cannot be put back
 */
export async function checkReceiver(options: CheckOptions): Promise<CheckReport> {
  const { url, timeout, stateUrl, seed, at, event, headerPrefix, signal } = options;
  const started = wallNow();
  const all = options.sender ?? (await openPlatform(options));
  const terms = chosenTerms(options);
  const { statements } = options.subject ?? options.started ?? {};
  let state: WatchedState | undefined;
  let calls: SenderCalls | undefined;
  const sender = createSender(url, timeout, terms.policy.succeeds, (send, body) => {
    calls?.sending(body);
    return state ? state.around(send) : send();
  });
  try {
    const missing = await sender.missing();
    if (missing) throw notListening(url, missing);
    const craft = createCraft(all, options);
    if (options.sender?.facts.api && options.calls)
      calls = await openSenderCalls(options.sender, options.calls, options);
    const { types } = terms;
    const make = (making: Making) => ({
      ...makeMaterial(all, { ...making, types, at, onMade: calls?.made }),
      ...craft,
    });
    const supply = createSupply(make, { seed, event, about: [] });
    if (stateUrl !== undefined) state = await openState(options, stateUrl, calls);
    const probe = state && (await createStateProbe(sender, state));
    const { hazards: chosen, leftOut } = chosenHazards(options);
    const trying = tryAll(chosen, { supply, sender, probe, terms, calls, statements }, options);
    const { hazards, event: shown } = await (signal ? abortable(trying, signal) : trying);
    return {
      url,
      sender: all.name,
      verdict: overallVerdict(hazards),
      finding: findingOf(hazards),
      seed,
      at: iso(at),
      event: shown,
      header_prefix: options.sender ? null : headerPrefix,
      timeout_ms: timeout,
      state_url: stateUrl === undefined ? null : withoutPasswords(stateUrl),
      counts: countVerdicts(hazards),
      hazards,
      left_out: leftOut,
      unknown_calls: [...((await calls?.unknownCalls()) ?? [])],
      duration_ms: wallNow() - started,
    };
  } finally {
    sender.close();
    await state?.close();
    await calls?.close();
  }
}

async function openState(
  { url, tables, timeout, started, subject }: CheckOptions,
  stateUrl: string,
  calls: SenderCalls | undefined,
): Promise<WatchedState> {
  const state = await (subject
    ? watchState({ ...subject, leave: subject.reset })
    : watchState(remoteSubject({ ...{ url, stateUrl, tables, timeout, resetBy: null }, ...started })));
  // What calls of the sender's API did belongs to it.
  return calls ? { ...state, read: async () => calls.addTo(await state.read()) } : state;
}

type Choice = Pick<CheckOptions, "sender" | "event" | "types" | "oldSecret" | "secretFrom" | "only" | "skip">;

/** What hazards say of the sender: events of its main type come first. */
function chosenTerms({
  sender = PLATFORM,
  event,
  types,
  oldSecret,
  secretFrom,
}: Omit<Choice, "only" | "skip">): Terms {
  const all = types ?? sender.events;
  return { ...termsOf(sender, all.includes(event) ? all : [event, ...all], oldSecret), secretFrom };
}

/** The hazards that a run tries, in order, and those of the chosen ones that the sender cannot cause. */
export function chosenHazards({ only, skip = [], ...choice }: Choice): SenderHazards {
  const isChosen = ({ name }: { name: string }) =>
    name === BASELINE || ((only?.includes(name) ?? true) && !skip.includes(name));
  const { hazards, leftOut } = hazardsOf(chosenTerms(choice));
  return { hazards: hazards.filter(isChosen), leftOut: leftOut.filter(isChosen) };
}

/** What hazards are tried with. */
interface Tools {
  supply: Supply;
  sender: Sender;
  probe: StateProbe | undefined;
  terms: Terms;
  calls: SenderCalls | undefined;
  statements: Subject["statements"];
}

/** How a hazard went. */
interface Tried {
  answers: readonly Answer[];
  /** Those of second tries, too. */
  all: readonly Answer[];
  judged: Judgement;
}

/** Tries hazards one after another, and skips those whose answers would say nothing. */
async function tryAll(
  hazards: readonly Hazard[],
  { supply, sender, probe, terms, calls, statements }: Tools,
  { onStart, onResult, url, signal }: CheckOptions,
): Promise<{ hazards: HazardResult[]; event: string }> {
  const results: HazardResult[] = [];
  const accepted: Answer[] = [];
  let baseline: Pick<Baseline, "supply" | "shown" | "refusedWith"> = {
    ...{ supply, shown: undefined, refusedWith: null },
  };
  /** Why nothing more is tried. */
  let over: string | undefined;

  const resultOf = (hazard: Hazard, judged: Judgement, all: readonly Answer[] = [], ms = 0) =>
    hazardResult(hazard, judged, all, ms, assumedFor(hazard, terms));

  async function tryOne(hazard: Hazard): Promise<HazardResult> {
    if (over !== undefined) return resultOf(hazard, { verdict: "skipped", summary: over });
    onStart?.(hazard);
    const started = wallNow();
    const { answers, all, judged } = await (hazard.name === BASELINE ? begin(hazard) : run(hazard));
    if (hazard.mustAccept) accepted.push(...answers);
    const refused = answers.find(({ error }) => error !== null && UNREACHED.has(error));
    if (refused && refused === answers[0] && results.length === 0) throw notListening(url, refused);
    const closed = answers.some(({ error }) => error === "connection_reset");
    const ended = refused !== undefined || (closed && (await sender.missing()) !== undefined);
    const last = answers[0] === refused ? results.at(-1)?.name : undefined;
    const result = ended
      ? stopped(last)
      : hazard.mustAccept && calls
        ? await calls.asFarAsKnown(judged)
        : judged;
    return resultOf(hazard, result, all, wallNow() - started);
  }

  async function begin(hazard: Hazard): Promise<Tried> {
    const found = await tryFirstEvents({ hazard, supply, sender, probe, terms });
    baseline = found;
    await probe?.rest();
    const { judged, exchange, all, refusedWith } = found;
    if (judged.verdict === "fail" && refusedWith === null)
      over = "A valid event was not accepted, so other answers prove nothing.";
    return { answers: exchange.answers, all, judged };
  }

  /** Sends what a hazard sends, and judges the answers in the light of the first events. */
  async function run(hazard: Hazard): Promise<Tried> {
    const exchange = createExchange(hazard, baseline.supply.kit, sender, baseline.supply.others);
    const { answers, flakes } = exchange;
    const state = await play(hazard, exchange, probe, baseline, statements);
    if (await probe?.rest()) {
      const { supply } = baseline;
      await createExchange(hazard, supply.others(), sender, supply.others).rest();
      await probe?.rest();
    }
    const judged = steady(hazard.judge({ answers, state, accepted }), flakes);
    const isAsSecond = answers.some(({ status }) => status !== null && status === baseline.refusedWith);
    const proves = !isAsSecond || (!hazard.mustAccept && answers.some(took));
    const asSecond = `It answered ${baseline.refusedWith}, as it did to the second valid event, which proves nothing.`;
    return {
      answers,
      all: exchange.allAnswers(),
      judged: proves ? judged : { verdict: "skipped", summary: asSecond },
    };
  }

  /** The subscriber was there and has gone. `last` is the hazard before, where the present one reached none. */
  function stopped(last: string | undefined): Judgement {
    over = "The subscriber no longer accepts connections.";
    const since = last === undefined ? "this hazard ended it" : `${last} was the last that it answered`;
    return {
      verdict: "fail",
      summary: `The subscriber no longer accepts connections: ${since}.`,
      fix: "Look in its log for what ended it, most likely an uncaught exception.",
    };
  }

  for (const hazard of hazards) {
    if (signal?.aborted) break;
    const result = await tryOne(hazard);
    results.push(result);
    onResult?.(result);
  }
  return { hazards: results, event: baseline.supply.making.event };
}

function notListening(url: string, { detail, error }: Missing): SandboxError {
  const { protocol } = new URL(url);
  return new SandboxError(
    "unreachable",
    `The subscriber at ${url} ${detail}.`,
    error === "tls"
      ? TLS_ADVICE
      : error === "dns"
        ? "Check the host in the URL."
        : `Start it first, and check host and port. ${protocol === "https:" ? "Does it speak https?" : ""}`.trimEnd(),
  );
}
