import type { Api } from "../api.ts";
import type { Toasts } from "./toasts.ts";

/** The world that is served at the root. */
export const DEFAULT_WORLD = "default";

/** Where the server is, whichever of its worlds a page is of. */
export const rootOf = (base: string): string => base.replace(/\/w\/[^/]+\/$/, "/");

/** The page of a world. */
export const worldBase = (root: string, name: string): string =>
  name === DEFAULT_WORLD ? root : `${root}w/${encodeURIComponent(name)}/`;

/** The longest name that the server takes. */
const LONGEST = 64;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @returns what is wrong with a name, if anything is; none at all is fine, as the server makes one */
export function nameProblem(name: string): string | undefined {
  if (name === "" || NAME.test(name)) return undefined;
  return "1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.";
}

/** The name under which a world is saved before each advance of its clock. */
export const advanceName = (world: string): string => `before-advance-${world}`.slice(0, LONGEST);

/** @returns what is wrong with the name, if anything is */
export async function saveWorld(api: Api, toasts: Toasts, name: string): Promise<string | undefined> {
  const problem = nameProblem(name);
  if (problem !== undefined) return problem;
  if (name !== "" && (await api.snapshots()).some((one) => one.name === name))
    return `There is a snapshot ${name} already. Choose another name.`;
  const saved = await api.saveSnapshot(name || undefined);
  toasts.done(`The world is saved as ${saved.name}.`, () => api.removeSnapshot(saved.name));
  return undefined;
}
