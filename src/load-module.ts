import { readFileSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ErrorCode, SandboxError } from "./errors.ts";

/** A module of the user's: TypeScript or JavaScript, read without a build. */
export interface UserModule {
  path: string;
  /** As a person would write it, for messages. */
  name: string;
  /** The code of the error that tells what is wrong with it. */
  code: ErrorCode;
  /** The way out when it has no default export. */
  shape: string;
}

/**
 * Reads the default export of a module.
 * @throws SandboxError with the module's `code`: the file, the position and the reason, in one line
 */
export async function loadModule({ path, name, code, shape }: UserModule): Promise<unknown> {
  let value: unknown;
  try {
    value = await defaultExport(await importModule(path), path);
  } catch (error) {
    const { where, reason, hint } = explain(error as Error, path, name);
    throw broken(code, where, reason, hint);
  }
  if (value === undefined) throw broken(code, name, "it has no default export", shape);
  return value;
}

/** What is wrong with a file, and where, in one line. */
export function broken(code: ErrorCode, where: string, reason: string, hint: string): SandboxError {
  return new SandboxError(code, `${where}: ${reason.replace(/\.$/, "")}.`, hint);
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

interface Explanation {
  where: string;
  reason: string;
  hint: string;
}

function explain(error: Error & { code?: string }, path: string, name: string): Explanation {
  if (typeof error?.message !== "string")
    return { where: name, reason: `it threw ${String(error)}`, hint: "Correct the file." };
  const [first = "", second = ""] = error.message.split("\n");
  const compilerSays = /:(\d+:\d+): ERROR: (.*)$/.exec(second);
  if (compilerSays) {
    const wayOut = compilerSays[2]!.startsWith("Top-level await")
      ? 'Give the file the ending .mts, or set "type": "module" in package.json.'
      : "Correct the syntax.";
    return { where: `${name}:${compilerSays[1]}`, reason: compilerSays[2]!, hint: wayOut };
  }
  const missing = /^Cannot find (?:package|module) '([^']+)'/.exec(first)?.[1];
  if (missing !== undefined) {
    const shown = missing.startsWith("file:") ? fileURLToPath(missing) : missing;
    return {
      where: name,
      reason: `it imports '${isAbsolute(shown) ? shortName(shown, resolve(path, "..")) : shown}', which is not found`,
      hint: /^[./]|^file:/.test(missing)
        ? "Correct the path."
        : `Install it here: npm install --save-dev ${missing}`,
    };
  }
  return {
    where: `${name}${lineIn(error, path)}`,
    reason: `it threw ${error.name}: ${first}`,
    hint: "Correct the file.",
  };
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

/** The path as a person in `cwd` would write it. */
export function shortName(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith(`..${sep}..`) || isAbsolute(short) ? path : short;
}
