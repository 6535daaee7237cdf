import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { STORIES, type Story } from "./stories.ts";

/** The story that is played unless another one is chosen. */
export const DEFAULT_STORY = "checkout";

/**
 * The shipped story with a name.
 * @throws SandboxError `not_found`
 */
export function findStory(name: string): Story {
  const found = STORIES.find((story) => story.name === name);
  if (found) return found;
  const names = STORIES.map((story) => story.name);
  const meant = closest(name, names);
  throw new SandboxError(
    "not_found",
    `There is no story '${name}'.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Stories: ${names.join(", ")}.`,
  );
}
