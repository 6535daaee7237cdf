import { SandboxError } from "../errors.ts";
import { wallNow } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import { createCraft } from "./craft.ts";
import type { Answer, Hazard, Judgement, Kit, StateSeen } from "./hazard.ts";
import { BASELINE, HAZARDS } from "./hazards/index.ts";
import { took } from "./judge.ts";
import { type Material, type MaterialOptions, makeMaterial } from "./material.ts";
import { type CheckReport, countVerdicts, findingOf, type HazardResult, hazardResult } from "./report.ts";
import { createSender, type Missing, type Sender } from "./send.ts";
import { createStateProbe, type StateProbe } from "./state.ts";

export interface CheckOptions extends MaterialOptions {
  /** Where the receiver takes events. */
  url: string;
  /** The secret that the receiver has. */
  secret: string;
  /** Real milliseconds that one answer may take. */
  timeout: number;
  /** An address whose answer changes when an event is handled, and not otherwise. */
  stateUrl?: string | undefined;
  /** Names of hazards to try beside the valid event; all when absent. */
  only?: readonly string[] | undefined;
  /** Names of hazards to leave out. */
  skip?: readonly string[] | undefined;
  /** Events made before, for who tries several receivers with the same. */
  material?: Material | undefined;
  /** Hears that a hazard is being tried. */
  onStart?: ((hazard: Hazard) => void) | undefined;
  /** Hears what became of it. */
  onResult?: ((result: HazardResult) => void) | undefined;
}

/** Errors of a first request that say that nothing takes requests there at all. */
const NOBODY = new Set(["connection_refused", "dns", "tls"]);

/**
 * Tries a webhook receiver: sends it what happens to receivers, and judges the answers. Nothing is sent elsewhere.
 * Contract: "CLI", `sandglass check`.
 * @throws SandboxError `unreachable` when nothing takes requests at the URL or at the state URL; `bad_request` when the
 *   state changes by itself
 */
export async function checkReceiver(options: CheckOptions): Promise<CheckReport> {
  const { url, secret, timeout, stateUrl, seed, at, event, headerPrefix } = options;
  const started = wallNow();
  const sender = createSender(url, timeout);
  try {
    const missing = await sender.missing();
    if (missing) throw nobodyThere(url, missing);
    const material = options.material ?? (await makeMaterial(options));
    const kit: Kit = { material, craft: createCraft(secret, headerPrefix) };
    const probe = stateUrl === undefined ? undefined : await createStateProbe(sender, stateUrl);
    const hazards = await tryAll(chosen(options), kit, sender, probe, options);
    return {
      url,
      verdict: hazards.some(({ verdict }) => verdict === "fail") ? "fail" : "pass",
      finding: findingOf(hazards),
      seed,
      at: iso(at),
      event,
      header_prefix: headerPrefix,
      timeout_ms: timeout,
      state_url: stateUrl ?? null,
      counts: countVerdicts(hazards),
      hazards,
      duration_ms: wallNow() - started,
    };
  } finally {
    await sender.close();
  }
}

function chosen({ only, skip = [] }: CheckOptions): Hazard[] {
  return HAZARDS.filter(
    ({ name }) => name === BASELINE || ((only?.includes(name) ?? true) && !skip.includes(name)),
  );
}

/** Tries hazards one after another, and skips those whose answers would say nothing. */
async function tryAll(
  hazards: readonly Hazard[],
  kit: Kit,
  sender: Sender,
  probe: StateProbe | undefined,
  { onStart, onResult, url }: CheckOptions,
): Promise<HazardResult[]> {
  const results: HazardResult[] = [];
  const accepted: Answer[] = [];
  let stateShows = false;
  /** Why nothing more is tried. */
  let over: string | undefined;

  async function tryOne(hazard: Hazard): Promise<HazardResult> {
    if (over !== undefined) return hazardResult(hazard, { verdict: "skipped", summary: over }, [], 0);
    onStart?.(hazard);
    const started = wallNow();
    const exchange = createExchange(hazard, kit, sender);
    const { answers } = exchange;
    const state = await run(hazard, exchange);
    if (hazard.mustAccept) accepted.push(...answers);
    const refused = answers.find(({ error }) => error !== null && NOBODY.has(error));
    if (refused && results.length === 0) throw nobodyThere(url, refused);
    const closed = answers.some(({ error }) => error === "connection_reset");
    const ended = refused !== undefined || (closed && (await sender.missing()) !== undefined);
    const judged = ended
      ? stopped(answers[0] === refused ? results.at(-1)!.name : undefined)
      : hazard.judge({ answers, state, accepted });
    return hazardResult(hazard, judged, answers, wallNow() - started);
  }

  /** Sends what a hazard sends, and looks at the state if that is of use. */
  async function run(hazard: Hazard, exchange: Exchange): Promise<StateSeen | null> {
    const { answers, all, first, rest } = exchange;
    const looks = hazard.name === BASELINE || (hazard.watch !== undefined && stateShows);
    if (!probe || !looks) {
      await all();
      return null;
    }
    if (hazard.watch === undefined) {
      stateShows = await probe.learn(() => all().then(() => answers.every(took)));
      return null;
    }
    try {
      return await probe.watch(hazard.watch, hazard.together ? all : first, rest);
    } catch (error) {
      // The receiver may have taken its state with it: then its answers tell.
      if (!(error instanceof SandboxError)) throw error;
      await rest();
      return null;
    }
  }

  /** It was there, and is no more. `last` is the hazard before, where the present one met nobody. */
  function stopped(last: string | undefined): Judgement {
    over = "The receiver no longer takes connections.";
    const since = last === undefined ? "this hazard ended it" : `${last} was the last that it answered`;
    return {
      verdict: "fail",
      summary: `The receiver takes no connections any more: ${since}.`,
      fix: "See in the receiver's log what ended it: mostly an exception that nothing caught.",
    };
  }

  for (const hazard of hazards) {
    let result = await tryOne(hazard);
    if (hazard.name === BASELINE) {
      if (result.verdict === "fail")
        over = "A valid event was not accepted, so other answers would say nothing.";
      else if (probe && !stateShows) result = blindState(result);
    }
    results.push(result);
    onResult?.(result);
  }
  return results;
}

type Exchange = ReturnType<typeof createExchange>;

/** The requests of a hazard, to be sent in parts; after one without an answer the rest is not sent. */
function createExchange(hazard: Hazard, kit: Kit, sender: Sender) {
  const answers: Answer[] = [];
  const requests = hazard.requests(kit);

  async function sendTo(end: number): Promise<void> {
    while (answers.length < end) {
      if (answers.at(-1)?.status === null) return;
      answers.push(await sender.send(requests[answers.length]!));
    }
  }

  return {
    answers,
    first: () => sendTo(1),
    rest: () => sendTo(requests.length),
    async all(): Promise<void> {
      if (!hazard.together) return sendTo(requests.length);
      answers.push(...(await Promise.all(requests.map(sender.send))));
    },
  };
}

/** The state URL does not show a valid event, so it is of no use. */
function blindState(result: HazardResult): HazardResult {
  return {
    ...result,
    verdict: "warn",
    summary: `${result.summary}, but the answer of the state URL stayed as it was.`,
    fix: "Name an address whose answer changes within 2 seconds after an event, such as a count of paid orders.",
  };
}

function nobodyThere(url: string, { detail, error }: Missing): SandboxError {
  const { protocol } = new URL(url);
  return new SandboxError(
    "unreachable",
    `The receiver at ${url} ${detail}.`,
    error === "tls"
      ? "Let Node trust its certificate: NODE_EXTRA_CA_CERTS=ca.pem. Or name its http address, if it has one."
      : error === "dns"
        ? "Look at the host in the URL."
        : `Start it first, and look at host and port. ${protocol === "https:" ? "Does it speak https?" : ""}`.trimEnd(),
  );
}
