import { DATA_ENTRIES } from "../chain-data/area.ts";
import { didYouMean } from "../errors/closest.ts";
import { misuse } from "../errors/errors.ts";
import { GAME_ENTRIES } from "../game/area.ts";
import { PAYMENTS_ENTRIES } from "../payments/area.ts";
import { WEBHOOKS } from "../webhooks/part.ts";
import type { AdvanceRequest } from "../world/scheduler.ts";
import type { AnyArea } from "./areas.ts";

/** Targets of an advance that are not entry names. */
export const ANYWHERE = ["next", "idle"];

/** The names of journal entries that are not written by an area. */
export const OWN_ENTRIES = [
  "rule.payment",
  "fault.set",
  "fault.cleared",
  "world.not_opened",
  "world.reset",
  "world.restored",
  "world.stopped",
  "world.undone",
  "webhook.outage",
  "webhook.story",
  "mail.taken",
] as const;

export const ENTRY_NAMES = [
  ...PAYMENTS_ENTRIES,
  ...WEBHOOKS.entries,
  ...DATA_ENTRIES,
  ...GAME_ENTRIES,
  ...OWN_ENTRIES,
] as const;

type Writers = readonly Pick<AnyArea, "entries">[];

/**
 * Rejects a wait for an entry that can never occur. This must happen before the clock moves; otherwise everything due
 * would run first.
 * @throws SandboxError `bad_request`
 */
export function checkUntil<Request extends AdvanceRequest>(request: Request, areas: Writers): Request {
  const { until } = request;
  if (typeof until !== "string" || until === "" || ANYWHERE.includes(until)) return request;
  const entries = entriesOf(areas);
  if (entries.includes(until)) return request;
  throw misuse(
    `until must be next, idle or the name of a journal entry, not '${until.slice(0, 60)}'.`,
    didYouMean(until, [...ANYWHERE, ...entries], known(entries)),
  );
}

/**
 * Rejects a search for entries that are never written, because the result would always be empty.
 * @param types names, or prefixes followed by *: `delivery.*`
 * @throws SandboxError `bad_request`
 */
export function checkTypes(types: readonly string[], areas: Writers): void {
  const entries = entriesOf(areas);
  for (const type of types) {
    const begin = type.endsWith("*") ? type.slice(0, -1) : undefined;
    if (entries.some((name) => (begin === undefined ? name === type : name.startsWith(begin)))) continue;
    const groups = entries.map((name) => `${name.slice(0, name.indexOf(".") + 1)}*`);
    throw misuse(
      `types must be names of journal entries, such as webhook.disabled or delivery.*, not '${type.slice(0, 60)}'.`,
      didYouMean(type, begin === undefined ? entries : groups, known(entries)),
    );
  }
}

const entriesOf = (areas: Writers): string[] =>
  [...areas.flatMap(({ entries }) => entries), ...WEBHOOKS.entries, ...OWN_ENTRIES].sort();

const known = (entries: readonly string[]): string => `Journal entries: ${entries.join(", ")}.`;
