import { either } from "../../timeline/text.ts";
import type { Exploration } from "../schedules/exploration.ts";
import type { OwnPlace } from "../subject/state-names.ts";

/** Notes on an exploration: what it did not observe, and what it did not count as a difference. */

/** States that no statement was observed, in a sentence; empty if any was. */
const unwatchedWords = ({ unwatched }: Pick<Exploration, "unwatched">): string =>
  unwatched
    ? "Sandglass saw no statement of the server, so it could neither interrupt the server between two statements nor see which rows it looked up. With SQLite, it only sees the statements of better-sqlite3 and node:sqlite in Node."
    : "";

/** States that the server stopped responding for reasons that no single schedule shows; empty if it did not. */
const revivalWords = ({ revivals }: Pick<Exploration, "revivals">): string =>
  revivals === 0
    ? ""
    : `Your server stopped responding ${revivals === 1 ? "once" : `${revivals} times`}, but handled the same requests after a restart. Earlier deliveries had blocked it. Check, for example, whether it releases its database connection when a statement fails.`;

/**
 * Lists the differences that were accepted because no handler can avoid them, in a sentence; empty if there are none.
 */
const acceptedWords = ({ accepted }: Pick<Exploration, "accepted">): string =>
  accepted.length === 0 ? "" : `Accepted, because no handler can avoid it: ${accepted.join(". ")}.`;

/** Lists the arrays whose order differed, in a sentence; empty if there are none. */
function reorderedWords({ reordered }: Pick<Exploration, "reordered">, option: string): string {
  const named = (numbered: boolean) =>
    reordered.filter((one) => one.numbered === numbered).map(({ path }) => path);
  const [plain, numbered] = [named(false), named(true)];
  if (plain.length + numbered.length === 0) return "";
  const parts = [
    plain.length > 0 ? `different order: ${plain.join(", ")}` : "",
    numbered.length > 0 ? `different order and numbers: ${numbered.join(", ")}` : "",
  ].filter(Boolean);
  return `Same entries, ${parts.join("; ")}. That does not count as a difference unless ${option} names the list.`;
}

/** Lists the places that differ between identical runs, in a sentence; empty if there are none. */
function ownPlacesWords({ ownPlaces }: Pick<Exploration, "ownPlaces">): string {
  const named = (kind: OwnPlace["holds"]) =>
    ownPlaces.filter(({ holds }) => holds === kind).map(({ path }) => path);
  const [times, ids, texts] = [named("time"), named("id"), named("text")];
  const parts = [
    times.length > 0 ? `machine times (${times.join(", ")})` : "",
    ids.length > 0 ? `generated ids (${ids.join(", ")})` : "",
    texts.length > 0 ? `parts of strings (${texts.join(", ")})` : "",
  ].filter(Boolean);
  return parts.length === 0
    ? ""
    : `Only their presence is compared, because they differ in each run: ${parts.join("; ")}.`;
}

/** Names the event types that changed nothing in any story, in a sentence; empty if there are none. */
export function unmovingWords(explorations: readonly Pick<Exploration, "calm" | "unmoving">[]): string {
  const moving = new Set(
    explorations.flatMap(({ calm, unmoving }) =>
      calm.attempts.flatMap(({ event }) => (unmoving.includes(event) ? [] : [event])),
    ),
  );
  const types = new Set(explorations.flatMap(({ unmoving }) => unmoving).filter((type) => !moving.has(type)));
  return types.size === 0
    ? ""
    : `The state was the same after each ${either([...types])}. If your handler acts on such events, these may lack something that it looks for: known adds your own values.`;
}

export type Noted = Pick<Exploration, "reordered" | "ownPlaces" | "unwatched" | "accepted" | "revivals">;

/** Notes on what was not observed, and on what was not counted as a difference. @param option the option that orders lists */
export const noteWords = (noted: Noted, option: string): string[] =>
  [
    revivalWords(noted),
    unwatchedWords(noted),
    acceptedWords(noted),
    ownPlacesWords(noted),
    reorderedWords(noted, option),
  ].filter(Boolean);
