import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import type { AdvanceRequest } from "../world/scheduler.ts";
import type { AnyArea } from "./areas.ts";

/** Where an advance can go without an entry's name. */
const ANYWHERE = ["next", "idle"];

/** Names of journal entries that no area writes. */
export const OWN_ENTRIES = [
  "rule.payment",
  "fault.set",
  "fault.cleared",
  "world.not_opened",
  "world.reset",
  "world.restored",
  "world.stopped",
] as const;

/**
 * Refuses to wait for an entry that cannot come, before anything moves: everything that is due would run first.
 * @throws SandboxError `bad_request`
 */
export function checkUntil<Request extends AdvanceRequest>(
  request: Request,
  areas: readonly Pick<AnyArea, "entries">[],
): Request {
  const { until } = request;
  if (typeof until !== "string" || until === "" || ANYWHERE.includes(until)) return request;
  const entries = [...areas.flatMap((area) => area.entries), ...OWN_ENTRIES].sort();
  if (entries.includes(until)) return request;
  const meant = closest(until, [...ANYWHERE, ...entries]);
  throw new SandboxError(
    "bad_request",
    `until must be next, idle or the name of a journal entry, not '${until.slice(0, 60)}'.`,
    `${meant === undefined ? "" : `Did you mean ${meant}? `}Journal entries: ${entries.join(", ")}.`,
  );
}
