import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { misuse } from "../../errors/errors.ts";
import type { ExploreDelivery, ExploreEvent, ExploreInvariant } from "../../library/explore.ts";
import { loadExports, shortName } from "../../runtime/load-module.ts";
import { iso } from "../../world/duration.ts";
import type { Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";

type HappenedSoFar = Parameters<ExploreInvariant>[1];

export interface Invariant {
  check: ExploreInvariant;
  /** Whether the invariant must hold after every delivery rather than only once nothing more is due. */
  always: boolean;
}

export interface BrokenInvariant {
  /** Whether the server exited on its own or stopped responding, which counts as a broken invariant. */
  isEnd?: true;
  message: string;
  /** The number of the attempt after which the invariant threw; null if it threw after the whole run. */
  after: number | null;
}

/**
 * Evaluates an invariant.
 * @param translate replaces this run's ids with those in the state
 * @returns its error, or a message saying that it returned false; undefined if it holds
 */
export async function checkInvariant(
  { check }: Invariant,
  state: Json,
  attempts: readonly SentAttempt[],
  translate: (value: Json) => Json,
): Promise<string | undefined> {
  try {
    const result = await check(structuredClone(state), translate(happenedIn(attempts)) as HappenedSoFar);
    return result === false ? "The invariant returned false." : undefined;
  } catch (error) {
    return error instanceof Error && error.message !== "" ? error.message : String(error);
  }
}

function happenedIn(attempts: readonly SentAttempt[]): HappenedSoFar {
  const events = new Map<string, ExploreEvent>();
  const deliveries = attempts.map((sent): ExploreDelivery => {
    const { id, eventId, event, attempt, trigger, failed, status, arrivals } = sent;
    const body = JSON.parse(sent.body);
    const { timestamp = iso(sent.at), data = body } = body;
    if (!events.has(eventId))
      events.set(eventId, { id: eventId, type: event, timestamp, data, test: trigger === "test" });
    return {
      id,
      event_id: eventId,
      event,
      attempt,
      trigger,
      started_at: iso(sent.at),
      status: failed ? "failed" : "success",
      response_code: status,
      arrivals,
    };
  });
  return { events: [...events.values()], deliveries };
}

const SHAPE =
  "Write: export default (state, { events, deliveries }) => { … }, and throw where it does not hold.";

/**
 * Loads a module's invariant: its default export, or the one named `invariant`. With `export const always = true`, it must
 * hold after every delivery.
 * @throws SandboxError `bad_request` with the file and the problem
 */
export async function loadInvariant(file: string, cwd: string): Promise<Invariant> {
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw misuse(`There is no file ${file}.`, SHAPE);
  const name = shortName(path, cwd);
  const {
    default: main,
    invariant = main,
    always = false,
  } = await loadExports({
    path,
    name,
    code: "bad_request",
  });
  if (typeof invariant !== "function") throw misuse(`${name}: its default export is not a function.`, SHAPE);
  if (typeof always !== "boolean")
    throw misuse(
      `${name}: always must be true or false, not ${JSON.stringify(always)}.`,
      "Write: export const always = true;",
    );
  return { check: invariant as ExploreInvariant, always };
}
