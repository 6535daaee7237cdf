import { SandboxError } from "../errors/errors.ts";
import { PLATFORM_SENDER, platformRequests } from "../payments/webhooks/platform.ts";
import { withoutPasswords } from "../runtime/redact.ts";
import { TLS_ADVICE } from "../timeline/attempt.ts";
import { formatDuration } from "../timeline/duration.ts";
import type { FileSender } from "../webhooks/described.ts";
import { wallNow } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import { createCraft } from "./craft.ts";
import { createExchange, type Exchange, type Flake } from "./exchange.ts";
import type { Answer, Hazard, Judgement, Kit, StateSeen } from "./hazard.ts";
import { assumedFor, BASELINE, hazardsOf } from "./hazards/index.ts";
import { took } from "./judge.ts";
import { type EventType, type Material, type MaterialOptions, makeMaterial } from "./material.ts";
import {
  type CheckReport,
  countVerdicts,
  findingOf,
  type HazardResult,
  hazardResult,
  overallVerdict,
} from "./report.ts";
import { createSender, type Missing, type Sender } from "./send.ts";
import { makeSenderMaterial } from "./sender-material.ts";
import { createStateProbe, type Shown, type StateProbe } from "./state.ts";
import { PLATFORM_TERMS, type Terms, termsOf } from "./terms.ts";

export interface CheckOptions extends Omit<MaterialOptions, "event"> {
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
  /** An address whose answer changes when an event is handled, and not otherwise. */
  stateUrl?: string | undefined;
  /** Names of hazards to try beside the valid event; all when absent. */
  only?: readonly string[] | undefined;
  /** Names of hazards to leave out. */
  skip?: readonly string[] | undefined;
  /** Events made before, for trying several receivers with the same: those of the run, and those of second tries. */
  material?: { events: Material; others: () => Promise<Material> } | undefined;
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
 * @throws SandboxError `unreachable` when nothing takes requests at the URL or at the state URL; `bad_request` when the
 *   state changes by itself
 */
export async function checkReceiver(options: CheckOptions): Promise<CheckReport> {
  const { url, timeout, stateUrl, seed, at, event, headerPrefix } = options;
  const started = wallNow();
  const terms = chosenTerms(options);
  const makeAll = (name: string): Material | Promise<Material> =>
    options.sender
      ? makeSenderMaterial(options.sender, { types: terms.types, seed: name, at })
      : makeMaterial({ ...options, event: event as EventType, seed: name });
  const sender = createSender(url, timeout, terms.policy.succeeds);
  try {
    const missing = await sender.missing();
    if (missing) throw notListening(url, missing);
    const craft = createCraft(options.sender ?? platformRequests(headerPrefix), options);
    const kit: Kit = { material: options.material?.events ?? (await makeAll(seed)), craft };
    // As repeatable as the first ones.
    const makeOthers = options.material?.others ?? (() => makeAll(`${seed} again`));
    let others: Material | Promise<Material> | undefined;
    const otherKit = async (): Promise<Kit> => {
      others ??= makeOthers();
      return { material: await others, craft };
    };
    const probe = stateUrl === undefined ? undefined : await createStateProbe(sender, stateUrl);
    const { hazards: chosen, leftOut } = chosenHazards(options);
    const hazards = await tryAll(chosen, { kit, otherKit, sender, probe, terms }, options);
    return {
      url,
      sender: options.sender?.name ?? PLATFORM_SENDER,
      verdict: overallVerdict(hazards),
      finding: findingOf(hazards),
      seed,
      at: iso(at),
      event,
      header_prefix: options.sender ? null : headerPrefix,
      timeout_ms: timeout,
      state_url: stateUrl === undefined ? null : withoutPasswords(stateUrl),
      counts: countVerdicts(hazards),
      hazards,
      left_out: leftOut,
      duration_ms: wallNow() - started,
    };
  } finally {
    sender.close();
  }
}

type Choice = Pick<CheckOptions, "sender" | "event" | "types" | "oldSecret" | "secretFrom" | "only" | "skip">;

/** What hazards say of the sender: events of its main type come first. */
function chosenTerms({ sender, event, types, oldSecret, secretFrom }: Omit<Choice, "only" | "skip">): Terms {
  if (!sender) return { ...PLATFORM_TERMS, oldSecret, secretFrom };
  const all = [...new Set([event, ...(types ?? sender.events)])];
  return { ...termsOf(sender, all, oldSecret), secretFrom };
}

/** The hazards that a run tries, in order, and those of the chosen ones that the sender cannot cause. */
export function chosenHazards({ only, skip = [], ...choice }: Choice): ReturnType<typeof hazardsOf> {
  const isChosen = ({ name }: { name: string }) =>
    name === BASELINE || ((only?.includes(name) ?? true) && !skip.includes(name));
  const { hazards, leftOut } = hazardsOf(chosenTerms(choice));
  return { hazards: hazards.filter(isChosen), leftOut: leftOut.filter(isChosen) };
}

/** What hazards are tried with. */
interface Tools {
  kit: Kit;
  /** What second tries are made from. */
  otherKit: () => Promise<Kit>;
  sender: Sender;
  probe: StateProbe | undefined;
  terms: Terms;
}

/** Tries hazards one after another, and skips those whose answers would say nothing. */
async function tryAll(
  hazards: readonly Hazard[],
  { kit, otherKit, sender, probe, terms }: Tools,
  { onStart, onResult, url }: CheckOptions,
): Promise<HazardResult[]> {
  const results: HazardResult[] = [];
  const accepted: Answer[] = [];
  let shown: Shown | undefined;
  /** Why nothing more is tried. */
  let over: string | undefined;

  const resultOf = (hazard: Hazard, judged: Judgement, all: readonly Answer[] = [], ms = 0) =>
    hazardResult(hazard, judged, all, ms, assumedFor(hazard.name, terms));

  async function tryOne(hazard: Hazard): Promise<HazardResult> {
    if (over !== undefined) return resultOf(hazard, { verdict: "skipped", summary: over });
    onStart?.(hazard);
    const started = wallNow();
    const exchange = createExchange(hazard, kit, sender, otherKit);
    const { answers, flakes } = exchange;
    const state = await run(hazard, exchange);
    if (hazard.mustAccept) accepted.push(...answers);
    const refused = answers.find(({ error }) => error !== null && UNREACHED.has(error));
    if (refused && results.length === 0) throw notListening(url, refused);
    const closed = answers.some(({ error }) => error === "connection_reset");
    const ended = refused !== undefined || (closed && (await sender.missing()) !== undefined);
    const judged = ended
      ? stopped(answers[0] === refused ? results.at(-1)!.name : undefined)
      : steady(hazard.judge({ answers, state, accepted }), flakes);
    return resultOf(hazard, judged, exchange.allAnswers(), wallNow() - started);
  }

  /** Sends what a hazard sends, and looks at the state if that is of use. */
  async function run(hazard: Hazard, exchange: Exchange): Promise<StateSeen | null> {
    const { answers, flakes, all, first, rest } = exchange;
    const looks = hazard.name === BASELINE || (hazard.watch !== undefined && shown?.how === "in time");
    if (!probe || !looks) {
      await all();
      return null;
    }
    if (hazard.watch === undefined) {
      shown = await probe.learn(() => all().then(() => answers.every(took)));
      return null;
    }
    try {
      const seen = await probe.watch(hazard.watch, hazard.together ? all : first, rest);
      // A second try is another event, which a count of handled events shows, too.
      return hazard.watch !== "all" && flakes.length > 0 ? "unclear" : seen;
    } catch (error) {
      // The receiver may have taken its state with it: then its answers tell.
      if (!(error instanceof SandboxError)) throw error;
      await rest();
      return null;
    }
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
    let result = await tryOne(hazard);
    if (hazard.name === BASELINE) {
      if (result.verdict === "fail") over = "A valid event was not accepted, so other answers prove nothing.";
      else if (shown !== undefined && result.verdict === "pass") result = warnOfState(result, shown);
    }
    results.push(result);
    onResult?.(result);
  }
  return results;
}

/** A hazard that is passed only at the second try says nothing of what was sent: the receiver fails by chance. */
function steady(judged: Judgement, [flake]: readonly Flake[]): Judgement {
  if (flake === undefined || judged.verdict === "fail") return judged;
  const { first, second } = flake;
  return {
    verdict: "flaky",
    summary: `Flaky: it ${first.detail}, and ${second.detail} to another request of the same kind.`,
    fix: "Look in its log for why the first one failed. It failed at random, whatever was sent: suspect time-outs, connection limits, and handlers that block each other.",
  };
}

/** A state URL that does not show a valid event, or not in time, is of no use. */
function warnOfState(result: HazardResult, shown: Shown): HazardResult {
  if (shown.how === "in time") return result;
  const found =
    shown.how === "late"
      ? `still changed ${formatDuration(shown.lastMs)} after it, so the other verdicts do not use it`
      : "did not change";
  return {
    ...result,
    verdict: "warn",
    summary: `${result.summary}, but the answer of the state URL ${found}.`,
    fix: "Name an address whose answer shows an event completely within 2 seconds, such as a count of paid orders.",
  };
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
