import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { SandglassConfig } from "./config.ts";
import { SandboxError } from "./errors.ts";

/** The names under which a configuration is found, in the order they are looked for. */
export const CONFIG_FILES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `sandbox.config.${ending}`);

export interface LoadedConfig {
  /** As written, unchecked: `resolveConfig` reads it. */
  config: SandglassConfig;
  /** The file's name for messages; undefined when there is none. */
  file: string | undefined;
}

/**
 * Reads the configuration: the named file, or the first of `CONFIG_FILES` in `cwd`, or none.
 * @throws SandboxError `invalid_config` with the file and the reason, in one line
 */
export async function loadConfig({ file, cwd }: { file?: string; cwd: string }): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig(cwd) : resolve(cwd, file);
  if (path === undefined) return { config: {}, file: undefined };
  const name = shortName(path, cwd);
  if (!existsSync(path))
    throw new SandboxError(
      "invalid_config",
      `There is no config file ${name}.`,
      "Name one that exists with --config, or write one with: npx sandglass init",
    );
  const config = path.endsWith(".json") ? readJson(path, name) : await readModule(path, name);
  return { config: config as SandglassConfig, file: name };
}

/** The config file of a folder, if it has one. */
export function findConfig(cwd: string): string | undefined {
  return CONFIG_FILES.map((name) => resolve(cwd, name)).find((path) => existsSync(path));
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw broken(name, `it is not valid JSON: ${(error as Error).message}`, "Correct the file.");
  }
}

async function readModule(path: string, name: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await defaultExport(await importModule(path), path);
  } catch (error) {
    throw explain(error as Error, path, name);
  }
  if (value === undefined)
    throw broken(
      name,
      "it has no default export",
      "Write: export default { … }. npx sandglass init shows how.",
    );
  return value;
}

/** What Node answers to a module that it cannot read itself, before any of it has run. */
const UNREADABLE = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/**
 * Imports with Node alone where it can: a new Node strips types itself, and tsx costs time to load. What
 * Node cannot read (types on Node 20, enums, imports without an ending) tsx reads.
 */
async function importModule(path: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(path).href;
  const unmute = muteTypeScriptWarnings();
  try {
    return await import(url);
  } catch (error) {
    const { code } = Object(error) as { code?: string };
    if (!(error instanceof SyntaxError) && !UNREADABLE.has(code ?? "")) throw error;
  } finally {
    unmute();
  }
  return await importWithTsx(path, url);
}

/**
 * As CommonJS first: that leaves Node's own loading of modules alone, whose hooks would slow down the start
 * of the whole server. A top-level await, here or in what it imports, does not work so.
 */
async function importWithTsx(path: string, url: string): Promise<Record<string, unknown>> {
  try {
    const tsx = await import("tsx/cjs/api");
    return { default: tsx.require(path, import.meta.url) };
  } catch (error) {
    const { message, code } = Object(error) as { message?: string; code?: string };
    if (!/Top-level await/.test(message ?? "") && !code?.startsWith("ERR_REQUIRE_")) throw error;
    const { tsImport } = await import("tsx/esm/api");
    return await tsImport(url, import.meta.url);
  }
}

const TYPESCRIPT_WARNING = /^(?:Type Stripping|Module type of file|Failed to load the ES module)/;

/** Keeps back what Node has to say about how it reads a file that tsx may read next. Returns the undo. */
function muteTypeScriptWarnings(): () => void {
  const { emit } = process;
  process.emit = ((event: string, ...values: unknown[]) => {
    const [warning] = values;
    if (event === "warning" && warning instanceof Error && TYPESCRIPT_WARNING.test(warning.message))
      return true;
    return (emit as (...all: unknown[]) => boolean).call(process, event, ...values);
  }) as typeof process.emit;
  return () => {
    process.emit = emit;
  };
}

/** The default export, also of a module that was compiled to CommonJS; undefined when there is none. */
function defaultExport(exported: Record<string, unknown>, path: string): unknown {
  const outer = exported.default;
  if (!isObject(outer)) return outer;
  if (outer.__esModule || "default" in outer) return outer.default;
  const said = Object.keys(outer).length > 0 || /\bexports?\b/.test(readFileSync(path, "utf8"));
  return said ? outer : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function explain(error: Error & { code?: string }, path: string, name: string): SandboxError {
  if (typeof error?.message !== "string")
    return broken(name, `it threw ${String(error)}`, "Correct the file.");
  const [first = "", second = ""] = error.message.split("\n");
  const compilerSays = /:(\d+:\d+): ERROR: (.*)$/.exec(second);
  if (compilerSays) {
    const wayOut = compilerSays[2]!.startsWith("Top-level await")
      ? 'Name the file sandbox.config.mts, or set "type": "module" in package.json.'
      : "Correct the syntax.";
    return broken(`${name}:${compilerSays[1]}`, compilerSays[2]!, wayOut);
  }
  const missing = /^Cannot find (?:package|module) '([^']+)'/.exec(first)?.[1];
  if (missing !== undefined) {
    const shown = missing.startsWith("file:") ? fileURLToPath(missing) : missing;
    return broken(
      name,
      `it imports '${isAbsolute(shown) ? shortName(shown, resolve(path, "..")) : shown}', which is not found`,
      /^[./]|^file:/.test(missing)
        ? "Correct the path."
        : `Install it here: npm install --save-dev ${missing}`,
    );
  }
  return broken(`${name}${lineIn(error, path)}`, `it threw ${error.name}: ${first}`, "Correct the file.");
}

/** `:line:column` of the first frame that is in the file. */
function lineIn(error: Error, path: string): string {
  const stack = error.stack ?? "";
  for (const place of [path, pathToFileURL(path).href]) {
    const at = stack.indexOf(`${place}`);
    const found = at < 0 ? null : /^[^:\s)]*(:\d+:\d+)/.exec(stack.slice(at + place.length));
    if (found) return found[1]!;
  }
  return "";
}

function broken(where: string, reason: string, hint: string): SandboxError {
  return new SandboxError("invalid_config", `${where}: ${reason.replace(/\.$/, "")}.`, hint);
}

/** The path as a person in `cwd` would write it. */
function shortName(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith(`..${sep}..`) || isAbsolute(short) ? path : short;
}
