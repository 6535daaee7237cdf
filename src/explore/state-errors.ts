import { SandboxError } from "../errors/errors.ts";
import { formatDuration } from "../story/duration.ts";
import { clip } from "../story/text.ts";
import { ignoreWords } from "./ignore-words.ts";
import { SETTLES_WITHIN_MS } from "./run.ts";
import type { Difference, Json } from "./state.ts";
import type { Subject } from "./subscriber.ts";
import { pathWords } from "./words.ts";

/** Characters of a value in an error. */
const MOST_SHOWN = 100;

/** The state shows nothing of the story. */
export function unchanged({ stateUrl }: Subject, ignore: readonly string[]): SandboxError {
  const what = stateUrl === null ? "state() returns" : `The state URL ${stateUrl} answers`;
  const rest = ignore.length > 0 ? ", apart from what is ignored" : "";
  return new SandboxError(
    "invalid_state",
    `${what} the same ${formatDuration(SETTLES_WITHIN_MS)} after the story as before it${rest}: there is nothing to compare.`,
    "Let the state show what the events change, such as every order with its status.",
  );
}

/** The state differs although nothing was sent. */
export function unsteady(unstable: readonly Difference[]): SandboxError {
  const { path, expected, actual } = unstable[0]!;
  return new SandboxError(
    "invalid_state",
    `The state differs by itself: read twice before any event, ${pathWords(path)} was ${clipped(expected)}, and then ${clipped(actual)}.`,
    ignoreWords(unstable),
  );
}

/** The state shows what a reset does not clear. */
export function notReset({ path, expected, actual }: Difference): SandboxError {
  return new SandboxError(
    "invalid_state",
    `The reset does not make the state what it was: before the story, ${pathWords(path)} was ${clipped(expected)}; after the story and a reset, it is ${clipped(actual)}.`,
    "Let the reset undo all that the events change: each schedule begins with it. Leave out with ignore what may stay.",
  );
}

/** A reset does not clear all that the subscriber remembers: its state does not show it, but what it does. */
export function leftBehind({ path, expected, actual }: Difference): SandboxError {
  return new SandboxError(
    "invalid_state",
    `The reset leaves something behind: when everything goes well, ${pathWords(path)} ends up as ${clipped(expected)} the first time, and as ${clipped(actual)} each time after a reset.`,
    "Let the reset clear all that your server remembers, such as a cache of the events that it has seen.",
  );
}

const clipped = (value: Json): string =>
  value === undefined ? "nothing" : clip(JSON.stringify(value), MOST_SHOWN);
