import type { Settings } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { STORIES, type Story } from "./stories.ts";

/**
 * The story with a name: a shipped one, or else a scenario, which a file can name, too. All shipped ones without a name.
 * @param cwd where the user is
 * @throws SandboxError `not_found`, `bad_request`; `invalid_scenario`
 */
export async function findStories(
  name: string | undefined,
  settings: Settings,
  cwd: string,
): Promise<readonly Story[]> {
  const found = STORIES.filter((story) => name === undefined || story.name === name);
  if (name === undefined || found.length > 0) return found;
  const { ownStory } = await import("./own-story.ts");
  try {
    return [await ownStory(name, settings, cwd)];
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "not_found") throw error;
    const names = STORIES.map((story) => story.name);
    const meant = closest(name, names);
    throw new SandboxError(
      "not_found",
      `There is no story and no scenario '${name}'.`,
      `${meant ? `Did you mean ${meant}? ` : ""}Stories: ${names.join(", ")}. Scenarios are in ${settings.scenarios}, or named by their file.`,
    );
  }
}
