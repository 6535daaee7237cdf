import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import type { ExploreInvariant } from "../library/explore.ts";
import { loadExports, shortName } from "../runtime/load-module.ts";
import type { Invariant } from "./invariant.ts";

const SHAPE =
  "Write: export default (state, { events, deliveries }) => { … }, and throw where it does not hold.";

/**
 * Reads the invariant of a module: its default export, or the one named `invariant`. With `export const always = true` it
 * has to hold after every delivery.
 * @throws SandboxError `bad_request`, naming the file and what is wrong with it
 */
export async function loadInvariant(file: string, cwd: string): Promise<Invariant> {
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw new SandboxError("bad_request", `There is no file ${file}.`, SHAPE);
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
  if (typeof invariant !== "function")
    throw new SandboxError("bad_request", `${name}: it exports no function as its default.`, SHAPE);
  if (typeof always !== "boolean")
    throw new SandboxError(
      "bad_request",
      `${name}: always must be true or false, not ${JSON.stringify(always)}.`,
      "Write: export const always = true;",
    );
  return { check: invariant as ExploreInvariant, always };
}
