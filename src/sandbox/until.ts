import { DATA_ENTRIES } from "../chain-data/entries.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors.ts";
import { GAME_ENTRIES } from "../game/entries.ts";
import { PAYMENTS_ENTRIES } from "../payments/entries.ts";
import type { AdvanceRequest } from "../world/scheduler.ts";

/** Where an advance can go without an entry's name. */
const ANYWHERE = ["next", "idle"];

/** Every name that a journal entry can have. */
export const ENTRIES = (
  [
    ...PAYMENTS_ENTRIES,
    ...DATA_ENTRIES,
    ...GAME_ENTRIES,
    "rule.payment",
    "fault.set",
    "fault.cleared",
    "world.not_opened",
    "world.reset",
    "world.restored",
    "world.stopped",
  ] as const
).toSorted();

/**
 * Refuses to wait for an entry that cannot come, before anything moves: everything that is due would run first.
 * @throws SandboxError `bad_request`
 */
export function checkUntil<Request extends AdvanceRequest>(request: Request): Request {
  const { until } = request;
  if (typeof until !== "string" || until === "") return request;
  if (ANYWHERE.includes(until) || ENTRIES.some((name) => name === until)) return request;
  const meant = closest(until, [...ANYWHERE, ...ENTRIES]);
  throw new SandboxError(
    "bad_request",
    `until must be next, idle or the name of a journal entry, not '${until.slice(0, 60)}'.`,
    `${meant === undefined ? "" : `Did you mean ${meant}? `}Journal entries: ${ENTRIES.join(", ")}.`,
  );
}
