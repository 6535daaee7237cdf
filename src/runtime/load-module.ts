import { readFileSync, statSync } from "node:fs";
import { createRequire, registerHooks, stripTypeScriptTypes } from "node:module";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ErrorCode, SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import { readTextFile } from "./text-file.ts";

/** A module of the user's, in TypeScript or JavaScript, which is read without a build. */
export interface UserModule {
  path: string;
  /** The path as a user would write it, for messages. */
  name: string;
  /** The error code for a mistake in the module. */
  code: ErrorCode;
  /** The hint if the module has no default export. */
  shape: string;
  /** Whether to read it again if this process has read it before; its imports stay cached. */
  reread?: boolean;
}

/**
 * Reads the default export of a module.
 * @throws SandboxError with the module's `code`: the file, the position and the reason, in one line
 */
export async function loadModule({ path, name, code, shape, reread = false }: UserModule): Promise<unknown> {
  let value: unknown;
  try {
    value = await defaultExport(await importModule(path, reread), path);
  } catch (error) {
    throw explain(error as Error, { path, name, code });
  }
  if (value === undefined) throw broken(code, name, "it has no default export", shape);
  return value;
}

/** Reads all exports of a module. @throws SandboxError with the module's `code`, as `loadModule` */
export async function loadExports({
  path,
  name,
  code,
}: Pick<UserModule, "path" | "name" | "code">): Promise<Record<string, unknown>> {
  try {
    const exported = await importModule(path, false);
    const outer = exported.default;
    // The exports of a module that was compiled to CommonJS.
    return isObject(outer) && (outer.__esModule || "default" in outer) ? outer : exported;
  } catch (error) {
    throw explain(error as Error, { path, name, code });
  }
}

/** The error for a broken file, with its place, in one line. */
export function broken(code: ErrorCode, where: string, reason: string, hint: string): SandboxError {
  return new SandboxError(code, `${where}: ${reason.replace(/\.$/, "")}.`, hint);
}

/** Node's codes for modules that it cannot read, before any of their code has run. */
const UNREADABLE = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/**
 * Node reads TypeScript by stripping its types. Other syntax (enums, parameter properties, imports without an ending) needs the
 * user's own tsx.
 */
async function importModule(path: string, reread: boolean): Promise<Record<string, unknown>> {
  // Node caches a module by its address.
  const url = pathToFileURL(path).href + (reread ? `?version=${statSync(path).mtimeMs}` : "");
  const unmute = muteTypeScriptWarnings();
  const hooks = readModulesAsModules();
  try {
    return await import(url);
  } catch (error) {
    const tsx = UNREADABLE.has((Object(error) as { code?: string }).code ?? "") ? findTsx(path) : undefined;
    if (tsx === undefined) throw error;
    const { tsImport } = (await import(tsx)) as {
      tsImport: (url: string, parent: string) => Promise<object>;
    };
    return { ...(await tsImport(url, import.meta.url)) };
  } finally {
    hooks.deregister();
    unmute();
  }
}

const MODULE_SYNTAX =
  /^\s*(?:export\s*(?:[{*]|(?:default|const|let|var|function|class|async|type|interface|enum|abstract)\b)|import\s*(?:["'{*]|(?!\w+\s*=)\w))/m;

/**
 * Reads a file with `import` or `export` as a module, whatever `type` the user's package.json has: `npm init` writes `commonjs`
 * there by default.
 */
function readModulesAsModules() {
  return registerHooks({
    load(url, context, nextLoad) {
      const ending = /^file:(?!.*\/node_modules\/).*\.([jt]s)(?:\?.*)?$/.exec(url)?.[1];
      if (ending === undefined || context.format?.startsWith("module") || !hasModuleSyntax(url))
        return nextLoad(url, context);
      return nextLoad(url, { ...context, format: ending === "ts" ? "module-typescript" : "module" });
    },
  });
}

function hasModuleSyntax(url: string): boolean {
  try {
    return MODULE_SYNTAX.test(readFileSync(fileURLToPath(url), "utf8"));
  } catch {
    // Node's own error is better here.
    return false;
  }
}

/** The address of the tsx that is installed where a file is. */
function findTsx(path: string): string | undefined {
  try {
    return pathToFileURL(createRequire(path).resolve("tsx/esm/api")).href;
  } catch {
    return undefined;
  }
}

const TYPESCRIPT_WARNING = /^(?:Type Stripping|Module type of file|Failed to load the ES module)/;

/** Mutes Node's warnings while it reads TypeScript. Returns the undo. */
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

/** The default export, also of a module that was compiled to CommonJS; undefined if the module has none. */
function defaultExport(exported: Record<string, unknown>, path: string): unknown {
  const outer = exported.default;
  if (!isObject(outer)) return outer;
  if (outer.__esModule || "default" in outer) return outer.default;
  const exportsSomething = Object.keys(outer).length > 0 || /\bexports?\b/.test(readFileSync(path, "utf8"));
  return exportsSomething ? outer : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

type Named = Pick<UserModule, "path" | "name" | "code">;

function explain(error: Error & { code?: string }, module: Named): SandboxError {
  const { path, name, code } = module;
  if (typeof error?.message !== "string")
    return broken(code, name, `it threw ${shownValue(error)}`, "Correct the file.");
  const [first = ""] = error.message.split("\n");
  if (error instanceof SyntaxError) return explainSyntax(error, module);
  const missing = /^Cannot find (?:package|module) '([^']+)'/.exec(first)?.[1];
  if (missing !== undefined) {
    const shown = missing.startsWith("file:") ? fileURLToPath(missing) : missing;
    return broken(
      code,
      name,
      `it imports '${isAbsolute(shown) ? shortName(shown, resolve(path, "..")) : shown}', which cannot be found`,
      /^[./]|^file:/.test(missing)
        ? "Correct the path, with the file's ending (./prices.ts)."
        : `Install it here: npm install --save-dev ${missing}`,
    );
  }
  return broken(code, name + lineIn(error, path), `it threw ${error.name}: ${first}`, "Correct the file.");
}

/** @throws SandboxError if the file is UTF-16, which the parser cannot explain */
function explainSyntax(error: SyntaxError & { code?: string }, { path, name, code }: Named): SandboxError {
  const place = markedPlace(error) ?? placeInSource(path);
  const file = place === undefined || place.file === path ? name : shortName(place.file, resolve(path, ".."));
  readTextFile(place?.file ?? path, { name: file, code });
  const where = place === undefined ? name : `${file}:${place.line}:${place.column}`;
  const [reason = ""] = error.message.split("\n");
  if (/does not provide an export named/.test(reason))
    return broken(code, where, reason, "Correct the imported name.");
  if (error.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return broken(code, where, reason, "Correct the syntax.");
  return broken(
    code,
    where,
    reason.replace(
      / is not supported in strip-only mode$/,
      ": Node cannot read this, as it only strips types",
    ),
    "Write it in plain TypeScript, or install tsx, which is used then: npm install --save-dev tsx",
  );
}

interface Place {
  file: string;
  line: number;
  column: number;
}

/** The place of a syntax error: Node puts the file, the line and a mark below the code before the stack. */
function markedPlace({ stack = "" }: Error): Place | undefined {
  const found = /^(?<file>.+):(?<line>\d+)\n[^^]*?\n(?<before> *)\^/.exec(stack)?.groups;
  if (!found) return undefined;
  const { file = "", line, before = "" } = found;
  return {
    file: file.startsWith("file:") ? fileURLToPath(file) : file,
    line: Number(line),
    column: before.length + 1,
  };
}

/** The place of a syntax error in JavaScript, which Node does not report. */
function placeInSource(path: string): Place | undefined {
  const { emitWarning } = process;
  // Node warns that the function is experimental at its first use.
  process.emitWarning = () => undefined;
  try {
    stripTypeScriptTypes(readFileSync(path, "utf8"), { sourceUrl: path });
    return undefined;
  } catch (error) {
    return markedPlace(error as Error);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** `:line:column` of the first stack frame in the file. */
function lineIn(error: Error, path: string): string {
  const stack = error.stack ?? "";
  for (const place of [path, pathToFileURL(path).href]) {
    const at = stack.indexOf(`${place}`);
    const found = at < 0 ? null : /^[^:\s)]*(:\d+:\d+)/.exec(stack.slice(at + place.length));
    if (found) return found[1]!;
  }
  return "";
}

/** The path of a file from `cwd`. */
export function shortName(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith(`..${sep}..`) || isAbsolute(short) ? path : short;
}
