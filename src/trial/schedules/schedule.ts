/**
 * What happens to one attempt, or beside it. See docs/explore-reference.md, "Deviations". In the order in which they are tried: the
 * simplest explanation of a bug comes first.
 */
export const DEVIATIONS = [
  "lost",
  "answer-lost",
  "resend",
  "swap",
  "overlap",
  "slow",
  "timeout",
  "restart",
  "crash",
  "api-429",
  "api-500",
  "api-slow",
  "overlap-5",
  "overlap-30",
  "overlap-100",
  "manual-retry",
  "manual-resend",
  "test",
  "outage",
  "secret-rotated",
  "second-endpoint",
] as const;
export type DeviationKind = (typeof DEVIATIONS)[number];

/** A deviation at the attempt with this number; attempts of a run are numbered from 0 as they begin. */
export interface Deviation {
  at: number;
  kind: DeviationKind;
}

/** How a run differs from the calm one: its deviations, by attempt. */
export type Schedule = readonly Deviation[];

/** An attempt of a run, as far as schedules need it. */
export interface Attempt {
  /** The instant of virtual time at which it began; attempts of one instant are under way together. */
  at: number;
  /** Whether the platform counted it as failed. */
  failed: boolean;
  trigger: "automatic" | "manual" | "test" | "resend";
  /** Which pause of the story follows it: the next moment at which a person can do something. */
  pause: number;
  /** Whether the schedule may do something to it: not to traffic that a story has only for its mass. */
  background: boolean;
  /** How often the subscriber called the platform's API while it handled it. */
  calls: number;
}

/** What a person does between attempts, not what happens to one of them. */
export const BY_HAND: ReadonlySet<DeviationKind> = new Set(["manual-retry", "manual-resend", "test"]);

/** What lasts for several attempts. */
const LASTING: ReadonlySet<DeviationKind> = new Set(["outage", "secret-rotated", "second-endpoint"]);

/** Whether a deviation happens to its attempt alone. */
export const isOfOneAttempt = (kind: DeviationKind): boolean => !BY_HAND.has(kind) && !LASTING.has(kind);

/** Whether a URL is registered twice from the beginning on, so that each event is sent to it by two endpoints. */
export const hasSecondEndpoint = ([first]: Schedule): boolean => first?.kind === "second-endpoint";

/** Real milliseconds by which an attempt is ahead of the one that it overlaps with. */
export const HEAD_STARTS: Partial<Record<DeviationKind, number>> = {
  overlap: 0,
  "overlap-5": 5,
  "overlap-30": 30,
  "overlap-100": 100,
};

/** What only a server that the exploration has started can be made to do. */
export const OF_OWN_SERVER: ReadonlySet<DeviationKind> = new Set(["restart", "crash"]);

/** What happens to any subscriber of the platform. The platform signs with one secret. */
const isOfPlatform = (kind: DeviationKind): boolean => !OF_OWN_SERVER.has(kind) && kind !== "secret-rotated";

/** What the platform sees of a deviation; null for nothing. Of what a person does, it sees all. */
const SEEN: Record<DeviationKind, string | null> = {
  lost: "failure",
  "answer-lost": "failure",
  resend: null,
  swap: null,
  overlap: null,
  "overlap-5": null,
  "overlap-30": null,
  "overlap-100": null,
  slow: "timeout",
  timeout: "timeout",
  restart: null,
  crash: "failure",
  // Where the API is called, what it answers depends on the moment, so the platform is always played.
  "api-429": "api",
  "api-500": "api",
  "api-slow": "api",
  "manual-retry": "manual-retry",
  "manual-resend": "manual-resend",
  test: "test",
  outage: "outage",
  "secret-rotated": null,
  "second-endpoint": "second-endpoint",
};

/**
 * Names what the platform sees of a schedule, as long as the subscriber accepts everything.
 * @param attempts only up to this attempt
 */
export const platformKey = (schedule: Schedule, attempts = Number.POSITIVE_INFINITY): string =>
  schedule
    .filter(({ at, kind }) => (at < attempts || kind === "second-endpoint") && SEEN[kind] !== null)
    .map(({ at, kind }) => `${SEEN[kind]} ${at}`)
    .join();

/** Whether the platform sends an attempt and the next one side by side: first attempts of two events, or their retries. */
function isBeside(attempts: readonly Attempt[], at: number): boolean {
  const [one, next] = [attempts[at]!, attempts[at + 1]];
  return next !== undefined && next.at === one.at && next.pause === one.pause && next.trigger !== "test";
}

/** When a deviation can happen on the platform at all; `attempts` are those of a run without it. */
const isPossible: Record<DeviationKind, (attempts: readonly Attempt[], at: number) => boolean> = {
  // The network can lose any request and any answer.
  lost: () => true,
  "answer-lost": () => true,
  // The platform can be killed at any moment. Started again, it sends each attempt again whose answer it has not written.
  resend: () => true,
  // Any subscriber may need more than 30 s. Its work goes on, and the next request meets it.
  slow: () => true,
  // A request may never arrive without being refused: the platform waits for its answer, and retries later.
  timeout: () => true,
  // What is sent side by side arrives in any order, or together.
  swap: isBeside,
  overlap: isBeside,
  "overlap-5": isBeside,
  "overlap-30": isBeside,
  "overlap-100": isBeside,
  // A deploy comes between two requests; after the last one, only a state in memory could show it.
  restart: (attempts, at) => at + 1 < attempts.length,
  // A process can be killed at any moment, and is started again.
  crash: () => true,
  // Any call of an API can be refused, fail, or be answered late.
  "api-429": (attempts, at) => attempts[at]!.calls > 0,
  "api-500": (attempts, at) => attempts[at]!.calls > 0,
  "api-slow": (attempts, at) => attempts[at]!.calls > 0,
  // The platform retries by hand what failed. The planned retry stays due until a retry succeeds.
  "manual-retry": (attempts, at) => attempts[at]!.failed && attempts[at]!.trigger !== "resend",
  // A person sends again what was delivered, once.
  "manual-resend": (attempts, at) => !attempts[at]!.failed && attempts[at]!.trigger !== "resend",
  // A test can be sent at any time. At one pause, it does not matter which of the attempts before it are named.
  test: (attempts, at) => attempts[at + 1]?.pause !== attempts[at]!.pause,
  // A subscriber can be down for as long as the platform tries, from any attempt on.
  outage: () => true,
  // A secret can be replaced at any time.
  "secret-rotated": () => true,
  // It is there before the first attempt, so it extends no schedule but the empty one: see `extensions`.
  "second-endpoint": () => false,
};

/**
 * The schedules with one deviation more than one that was played. Each schedule has one parent, so none comes twice.
 * @param attempts those of the run of `schedule`
 * @param recovery the number of the first attempt after the outage of the schedule, if it has one
 * @param canHappen whether a kind of deviation can happen in the story, to this subscriber
 */
export function extensions(
  schedule: Schedule,
  attempts: readonly Attempt[],
  recovery: number | null = null,
  canHappen: (kind: DeviationKind) => boolean = isOfPlatform,
): Schedule[] {
  const last = schedule.at(-1);
  const found: Schedule[] = [];
  for (let at = last?.at ?? 0; at < attempts.length; at += 1) {
    const { trigger, background } = attempts[at]!;
    if (trigger === "test" || background) continue;
    for (const kind of DEVIATIONS) {
      if (kind === "outage" && recovery !== null) continue;
      if (kind === "secret-rotated" && schedule.some((one) => one.kind === kind)) continue;
      // Nothing arrives during an outage. A person may retry in vain.
      if (at < (recovery ?? 0) && (kind !== "manual-retry" || at === last!.at)) continue;
      // These take real time, and show what a common overlap shows in a slower handler.
      if (HEAD_STARTS[kind] && last) continue;
      if (!canHappen(kind)) continue;
      if (last?.at === at && !follows(kind, last.kind)) continue;
      if (isPossible[kind](attempts, at)) found.push([...schedule, { at, kind }]);
    }
  }
  // What is simpler explains a copy better: this one comes last.
  if (!last && attempts.length > 0 && canHappen("second-endpoint"))
    found.push([{ at: 0, kind: "second-endpoint" }]);
  return found;
}

/** Whether a deviation may be added to another one at the same attempt: what a person does comes after the attempt. */
function follows(kind: DeviationKind, earlier: DeviationKind): boolean {
  if (earlier === "second-endpoint" || earlier === "secret-rotated") return true;
  if (!BY_HAND.has(kind)) return false;
  return !BY_HAND.has(earlier) || DEVIATIONS.indexOf(kind) > DEVIATIONS.indexOf(earlier);
}
