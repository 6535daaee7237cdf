import { readFileSync, statSync } from "node:fs";
import { createRequire, registerHooks, stripTypeScriptTypes } from "node:module";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ErrorCode, SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import { isObject } from "./is-object.ts";
import { readTextFile } from "./text-file.ts";
import { unlessThrown } from "./unless-thrown.ts";

/** A user's module in TypeScript or JavaScript, loaded without a build. */
export interface UserModule {
  path: string;
  /** The path as users would write it, for messages. */
  name: string;
  code: ErrorCode;
  /** The hint to show if there is no default export. */
  shape: string;
  /** Whether to reload the module if this process has already loaded it. Its imports stay cached. */
  reread?: boolean;
}

/**
 * Loads a module's default export.
 * @throws SandboxError with the module's `code` and a one-line message: file, position and reason
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

/** Loads a module and returns all its exports. @throws like `loadModule` */
export async function loadExports({
  path,
  name,
  code,
}: Pick<UserModule, "path" | "name" | "code">): Promise<Record<string, unknown>> {
  try {
    const exported = await importModule(path, false);
    const outer = exported.default;
    // If the module was compiled to CommonJS, the exports are inside the default export.
    return isObject(outer) && (outer.__esModule || "default" in outer) ? outer : exported;
  } catch (error) {
    throw explain(error as Error, { path, name, code });
  }
}

/** The error for a broken file: one line, including the position. */
export function broken(code: ErrorCode, where: string, reason: string, hint: string): SandboxError {
  return new SandboxError(code, `${where}: ${reason.replace(/\.$/, "")}.`, hint);
}

/** Node's error codes for modules that fail to load before any of their code runs. */
const UNREADABLE = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/**
 * Node runs TypeScript by stripping the types. Other features (enums, parameter properties, imports without an
 * extension) need tsx from the user's project.
 */
async function importModule(path: string, reread: boolean): Promise<Record<string, unknown>> {
  // Node caches modules by URL, so a different URL forces a reload.
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
 * Loads files that contain `import` or `export` as ES modules, whatever `type` the user's package.json specifies: `npm
 * init` sets it to `commonjs` by default.
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

/** If reading fails, let Node report the error itself. */
const hasModuleSyntax = (url: string): boolean =>
  unlessThrown(() => MODULE_SYNTAX.test(readFileSync(fileURLToPath(url), "utf8"))) ?? false;

/** The URL of the tsx installation that a file would use. */
const findTsx = (path: string): string | undefined =>
  unlessThrown(() => pathToFileURL(createRequire(path).resolve("tsx/esm/api")).href);

const TYPESCRIPT_WARNING = /^(?:Type Stripping|Module type of file|Failed to load the ES module)/;

/**
 * Suppresses Node's warnings about TypeScript.
 * @returns a function that re-enables them
 */
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

/** The default export, even if the module was compiled to CommonJS; undefined if there is none. */
function defaultExport(exported: Record<string, unknown>, path: string): unknown {
  const outer = exported.default;
  if (!isObject(outer)) return outer;
  if (outer.__esModule || "default" in outer) return outer.default;
  const exportsSomething = Object.keys(outer).length > 0 || /\bexports?\b/.test(readFileSync(path, "utf8"));
  return exportsSomething ? outer : undefined;
}

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
        ? "Correct the path, including the file extension (./prices.ts)."
        : `Install it here: npm install --save-dev ${missing}`,
    );
  }
  return broken(code, name + lineIn(error, path), `it threw ${error.name}: ${first}`, "Correct the file.");
}

/** @throws SandboxError if the file is UTF-16, because the parser's error would not explain that */
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
      ": Node cannot run this, because it only strips types",
    ),
    "Write it in plain TypeScript, or install tsx, which Sandglass then uses: npm install --save-dev tsx",
  );
}

interface Place {
  file: string;
  line: number;
  column: number;
}

/** The position of a syntax error. Node prints the file, the line, and a marker below the code before the stack. */
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

/** Finds the position of a syntax error in JavaScript, which Node does not report. */
function placeInSource(path: string): Place | undefined {
  const { emitWarning } = process;
  // Suppress Node's warning that the function is experimental.
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

/** The `:line:column` of the first stack frame in the file. */
function lineIn(error: Error, path: string): string {
  const stack = error.stack ?? "";
  for (const place of [path, pathToFileURL(path).href]) {
    const at = stack.indexOf(`${place}`);
    const found = at < 0 ? null : /^[^:\s)]*(:\d+:\d+)/.exec(stack.slice(at + place.length));
    if (found) return found[1]!;
  }
  return "";
}

/** A file's path, relative to `cwd`. */
export function shortName(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith(`..${sep}..`) || isAbsolute(short) ? path : short;
}
