import type { Api } from "../api.ts";
import type { Toasts } from "./toasts.ts";

/** The world that is served at the root path. */
export const DEFAULT_WORLD = "default";

/** The server's root URL, derived from the URL of any world's page. */
export const rootOf = (base: string): string => base.replace(/\/w\/[^/]+\/$/, "/");

/** The URL of a world's page. */
export const worldBase = (root: string, name: string): string =>
  name === DEFAULT_WORLD ? root : `${root}w/${encodeURIComponent(name)}/`;

/** The maximum length that the server allows for a name. */
const LONGEST = 64;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @returns the problem with a name, if there is one. An empty name is valid, because the server then generates one. */
export function nameProblem(name: string): string | undefined {
  if (name === "" || NAME.test(name)) return undefined;
  return "1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.";
}

/** The name of the snapshot that is taken before each advance. */
export const advanceName = (world: string): string => `before-advance-${world}`.slice(0, LONGEST);

/** @returns the problem with the name, if there is one */
export async function saveWorld(api: Api, toasts: Toasts, name: string): Promise<string | undefined> {
  const problem = nameProblem(name);
  if (problem !== undefined) return problem;
  if (name !== "" && (await api.snapshots()).some((one) => one.name === name))
    return `There is already a snapshot ${name}. Choose another name.`;
  const saved = await api.saveSnapshot(name || undefined);
  toasts.done(`The world is saved as ${saved.name}.`, () => api.removeSnapshot(saved.name));
  return undefined;
}
