import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findConfig } from "../../config/load-config.ts";
import { KEEP } from "../../entries/keep.ts";
import { misuse } from "../../errors/errors.ts";
import { fileError } from "../../errors/file-error.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import { readTextFile } from "../../runtime/text-file.ts";
import { scenarioFilesIn } from "../../scenarios/files.ts";
import type { Invocation } from "../command.ts";
import { STOPPED } from "../exit-codes.ts";
import { note, print } from "../output.ts";
import { readPort } from "../ports.ts";
import { filesFor, type ProjectFile } from "./files.ts";
import { findHandler, type Handler } from "./handler.ts";
import { readProject } from "./project.ts";
import { confirmHandler, confirmStart, printFound } from "./questions.ts";

interface InitOptions {
  dryRun?: boolean;
  from?: string;
  sender?: string;
  skill?: boolean;
  start?: boolean;
  platform?: boolean;
  port?: string;
  yes?: boolean;
}

const DEFAULT_PORT = 3000;
const pathOf = ({ path }: { path: string }) => path;

/**
 * `sandglass init`: writes a configuration and a CI job for this project's webhook handler, or a new handler with everything
 * needed to test it. It overwrites nothing but its own guesses.
 */
export async function run({ options }: Invocation<InitOptions>): Promise<number | undefined> {
  const { dryRun = false, skill = false, platform, sender, yes = false } = options;
  if (options.from !== undefined && sender === undefined)
    throw misuse(
      "--from needs --sender.",
      "For example: npx sandglass init --sender acme --from openapi.yaml",
    );
  if (sender !== undefined) return writeSender(sender, dryRun, options.from);
  const project = readProject();
  const port =
    options.port === undefined ? undefined : readPort("--port", options.port, "For example: --port 8080");
  // Report problems with existing files before asking the user anything.
  const ignores = skill ? undefined : missingInGitignore();
  findConfig();
  const read = platform ? undefined : findHandler(project, port);
  const found = read && (await withKnown(read));
  if (found) printFound("Found in your sources; all guesses until your server runs:", found);
  else {
    const { framework, typed, runner, manager } = project;
    print([framework, typed ? "TypeScript" : "JavaScript", runner, manager].join(", "));
  }
  const isRead = !found || skill || dryRun;
  const seen: { handler: Handler | undefined; isRefused?: boolean } | undefined =
    isRead || options.start === false ? { handler: found } : await askServer(found, yes);
  const isSettled = isRead || yes || !seen?.handler || seen.isRefused;
  const handler = isSettled ? seen?.handler : await confirmHandler(seen.handler!);
  if (found && !handler) return STOPPED;
  const { files, next } = filesFor(project, { skill, port: port ?? DEFAULT_PORT }, handler);
  const own = files.find(({ path }) => /webhooks\.m?[jt]s$/.test(path) && existsSync(path));
  if (handler && found && !dryRun)
    replaceGuesses(files, filesFor(project, { skill, port: port ?? DEFAULT_PORT }, found).files);
  const kept = handler && files.map(keptConfig).find((one) => one !== undefined);
  if (ignores !== undefined)
    files.push({ path: ".gitignore", what: "what git ignores", text: ignores, isAddition: true });
  writeAll(files, dryRun);
  if (own) print(`\n${own.path} exists. The files next to it import\nwebhooks, orders and reset from it.`);
  if (kept) print(`\n${kept} was not changed. To write what was found now, delete it and run init again.`);
  if (next !== "") print(next);
  if (seen?.isRefused) print("\nOnce this is solved, run init again: it replaces the guesses that it wrote.");
  return undefined;
}

/** Marks the configuration to be replaced with what a started server showed, if it contains only what init had guessed. */
function replaceGuesses(files: readonly ProjectFile[], guessed: readonly ProjectFile[]): void {
  const withoutOrigins = (text: string) => text.replaceAll(/ \/\/ (?:a guess|seen): .*$/gm, "");
  for (const file of files) {
    if (keptConfig(file) !== file.path || !file.text.includes("// seen: ")) continue;
    const guess = guessed.find(({ path }) => path === file.path);
    file.replaces =
      guess !== undefined && withoutOrigins(readFileSync(file.path, "utf8")) === withoutOrigins(guess.text);
  }
}

/** The name of an existing configuration with other contents than this file. */
function keptConfig({ path, text, replaces }: ProjectFile): string | undefined {
  const there = path.startsWith("sandbox.config") && !replaces ? inPlaceOf(path) : undefined;
  return there !== undefined && readFileSync(there, "utf8") !== text ? there : undefined;
}

/** Adds the names in the sender's objects by which the handler's code finds its own rows. */
async function withKnown(handler: Handler): Promise<Handler> {
  const { readSender } = await import("../../senders/files.ts");
  const { findKnownNames } = await import("./known-names.ts");
  const { valuesFor } = await import("./known.ts");
  const senders = handler.senders.map(async (one) => {
    if (one.name.value === "" || one.signature) return one;
    const sender = await readSender(one.name.value).catch(() => undefined);
    // The project's own sender file may contain mistakes. The trial reports them later.
    if (!sender) return one;
    return { ...one, known: valuesFor(findKnownNames(one.files, handler.sources, sender.facts), sender) };
  });
  return { ...handler, senders: await Promise.all(senders) };
}

/**
 * Starts the server, if the user agrees, to confirm the guesses.
 * @returns undefined if the user pressed Ctrl-C; `isRefused` if the server could not be started, so the guesses remain
 * unconfirmed
 */
async function askServer(
  found: Handler,
  yes: boolean,
): Promise<{ handler: Handler; isRefused?: boolean } | undefined> {
  const agreed = yes || (await confirmStart(found));
  if (agreed === undefined) return undefined;
  if (!agreed) return { handler: found };
  const { gatherEvidence } = await import("./evidence.ts");
  const { handler, problem } = await gatherEvidence(found);
  if (problem)
    for (const line of [`Not confirmed. ${problem.message}`, problem.hintFor("command")]) note(line);
  else printFound("With your server started:", handler);
  return { handler, isRefused: problem !== undefined };
}

/** The existing file that keeps this one from being written. */
function keptFile({ path, text, isAddition, replaces }: ProjectFile): string | undefined {
  if (isAddition) return text === "" ? path : undefined;
  return replaces ? undefined : inPlaceOf(path);
}

/** Writes the missing files, printing the name of each one. */
function writeAll(files: ProjectFile[], dryRun: boolean): void {
  const width = Math.max(...files.map(({ path }) => path.length));
  const listed = files.map((file) => ({ ...file, there: keptFile(file) }));
  for (const [index, { path, what, there, ...file }] of listed.entries()) {
    if (there === undefined && !dryRun) {
      const left = listed.slice(index).flatMap((one) => (one.there === undefined ? [one.path] : []));
      write({ path, ...file }, left);
    }
    const does = there !== undefined ? "exists" : dryRun ? "would" : file.isAddition ? "added" : "wrote";
    print(`${does.padEnd(6)}  ${(there ?? path).padEnd(width)}  ${what}`);
  }
}

/**
 * Finds an existing file that makes this one unnecessary: a configuration may have another extension, and a scenario
 * another name.
 */
function inPlaceOf(path: string): string | undefined {
  let found: string | undefined = path;
  if (path.startsWith("sandbox.config")) found = findConfig();
  else if (path.startsWith("scenarios/") && !existsSync(found)) [found] = scenarioFilesIn("scenarios");
  return found !== undefined && existsSync(found) ? relative("", found) : undefined;
}

/**
 * Writes a sender file: a template with every field explained, a copy of a shipped one, or one generated from an OpenAPI
 * document.
 * @param from the document's path
 */
async function writeSender(name: string, dryRun: boolean, from?: string): Promise<undefined> {
  const { senderFiles, shippedSenders } = await import("../../senders/files.ts");
  const path = `senders/${name}.yaml`;
  const isShipped = from === undefined && shippedSenders().includes(name);
  let what = isShipped ? "a copy of the package's" : "every field of a sender explained";
  let files = senderFiles(name);
  if (from !== undefined) {
    const { senderFromOpenApi } = await import("../../senders/from-openapi.ts");
    what = "what the document says about its webhooks";
    files = await senderFromOpenApi(name, from);
  }
  const [file, ...bodies] = files.map((one) => ({ ...one, path: `senders/${one.path}` }));
  writeAll([{ ...file!, what }], dryRun);
  const missing = bodies.filter((body) => !existsSync(body.path));
  if (!dryRun) for (const [index, body] of missing.entries()) write(body, missing.slice(index).map(pathOf));
  if (missing.length > 0)
    print(
      `${dryRun ? "would " : "wrote "}  ${`senders/${name}/`.padEnd(path.length)}  ${missing.length} ${missing.length === 1 ? "file" : "files"} next to it`,
    );
  if (isShipped) print(`Sandglass includes ${name}. No file is needed:\n--sender ${name}`);
  print(`Next: npx sandglass --sender ${path}`);
}

/** @param left the files that will not be written if this fails */
function write({ path: name, text, isAddition, replaces }: Omit<ProjectFile, "what">, left: string[]): void {
  const path = resolve(name);
  let begun = false;
  try {
    refuseLinks(path);
    mkdirSync(dirname(path), { recursive: true });
    begun = !existsSync(path);
    writeFileSync(path, text, { flag: isAddition ? "a" : replaces ? "w" : "wx" });
  } catch (error) {
    // When the disk is full, writing leaves an empty file, which the next run would mistake for the user's.
    if (begun) rmSync(path, { force: true });
    throw fileError(
      "write",
      path,
      error,
      `Not written: ${left.join(", ")}. Fix the problem and run init again: it skips files that already exist.`,
    );
  }
}

const FILE = ".gitignore";
/** The saved worlds of failed runs can contain secrets, and the report is rewritten on every run. */
const LINES = [`${KEEP}/`, "sandglass/findings/report.html"];

/**
 * The lines that a project's `.gitignore` needs to keep generated output out of the repository.
 * @returns the text to append; `""` if this file or one above already ignores the output; undefined outside a
 * repository
 * @throws SandboxError for a file in another encoding, which git cannot read either
 */
function missingInGitignore(): string | undefined {
  const cwd = process.cwd();
  const folders = upToRepository(cwd);
  if (folders === undefined && !existsSync(FILE)) return undefined;
  const ignored = (folders ?? [cwd]).flatMap((folder) => readGitignore(folder).split(/\r?\n/).map(plain));
  const missing = LINES.filter((line) => !ignored.includes(plain(line)));
  if (missing.length === 0) return "";
  const text = readGitignore(cwd);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return (text === "" || text.endsWith("\n") ? "" : newline) + missing.map((line) => line + newline).join("");
}

/** A folder and its parents, up to the root of its repository. */
function upToRepository(folder: string): string[] | undefined {
  if (existsSync(join(folder, ".git"))) return [folder];
  const above = dirname(folder);
  const rest = above === folder ? undefined : upToRepository(above);
  return rest && [folder, ...rest];
}

/** Strips the parts of a line that do not affect which of these paths it matches. */
const plain = (line: string): string => line.replace(/^(?:\*\*\/|\/)/, "").replace(/(?:\/\*{0,2})?\s*$/, "");

function readGitignore(folder: string): string {
  const path = join(folder, FILE);
  return existsSync(path) ? readTextFile(path, { name: FILE, code: "invalid_state" }) : "";
}
