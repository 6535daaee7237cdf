import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { closest, didYouMean } from "../errors/closest.ts";
import { invalidConfig, misuse, notFound, type SandboxError } from "../errors/errors.ts";
import { CONTENT_ENCODINGS, contentEncoding, isContentEncoding } from "../runtime/content-encoding.ts";
import { loadModule, shortName } from "../runtime/load-module.ts";
import { findSandglass } from "../runtime/own-package.ts";
import { inPackage } from "../runtime/package.ts";
import { readRegularFile } from "../runtime/regular-file.ts";
import { textOf } from "../runtime/text-file.ts";
import { check, fits } from "../schema/check.ts";
import type { Configured } from "../schema/configured.ts";
import { createMistakes, type Mistakes } from "../schema/mistakes.ts";
import { parseFile } from "../schema/parse-file.ts";
import { isObject, textAt } from "../webhooks/body-text.ts";
import { type FileSender, fileSender, type SignFunction } from "../webhooks/described.ts";
import { type Routes, SENDER, type SenderFacts } from "../webhooks/sender-file.ts";
import { readApi } from "./api/read.ts";
import { MOST_BYTES, readBodies } from "./bodies.ts";
import { asForms } from "./forms.ts";
import { ofVersion } from "./generations.ts";
import { type Known, knowing } from "./known.ts";
import { checkPlaces } from "./places.ts";
import { twoExamples } from "./second-example.ts";

const SHIPPED = inPackage("fixtures/senders/");
/**
 * The packaged senders' facts. The build writes them next to the compiled code, so loading them requires no YAML
 * parser.
 */
const prepared = (name: string): URL => new URL(`./senders/${name}.json`, import.meta.url);
const IS_PATH = /[./\\]/;
const MODULE = /^\.[cm]?[jt]s$/;
/** The maximum number of retries. More would cause a RangeError or use a gigabyte of memory. */
const MOST_RETRIES = 1_000;
/** The name of the emulated platform, which has no file. */
const RESERVED = "platform";

/**
 * The files of a new sender, with paths relative to its folder: a template with every field explained, or a copy of a
 * packaged sender with its bodies.
 * @throws SandboxError `bad_request` for an invalid name
 */
export function senderFiles(name: string): { path: string; text: string }[] {
  if (!fits(SENDER.properties.name, name) || name === RESERVED)
    throw misuse(
      `A sender's name consists of lower-case letters, digits and hyphens, not '${name.slice(0, 100)}'.`,
      "For example: npx sandglass init --sender acme",
    );
  const read = (path: string) => readFileSync(`${SHIPPED}${path}`, "utf8");
  const path = `${name}.yaml`;
  if (shippedSenders().includes(name)) {
    const bodies = existsSync(`${SHIPPED}${name}`) ? readdirSync(`${SHIPPED}${name}`) : [];
    return [path, ...bodies.map((body) => `${name}/${body}`)].map((file) => ({
      path: file,
      text: read(file),
    }));
  }
  const text = read("_template.yaml")
    .replaceAll("acme", name)
    .replaceAll(
      "Acme",
      name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    );
  return [{ path, text }];
}

export const shippedSenders = (): string[] =>
  readdirSync(SHIPPED).flatMap((file) => (/^[a-z].*\.yaml$/.test(file) ? basename(file, ".yaml") : []));

export const readAllShipped = (): Promise<FileSender[]> =>
  Promise.all(shippedSenders().map((name) => readSender(name)));

/**
 * Reads a packaged sender by name, or a sender's file.
 * @param named a name such as `stripe`, or the path of a YAML, JSON, TypeScript or JavaScript file
 * @throws SandboxError `not_found`; `invalid_config` with the file and each mistake
 */
export async function readSender(named: string, cwd = process.cwd()): Promise<FileSender> {
  if (!IS_PATH.test(named)) {
    const facts = shipped.get(named) ?? readShippedFacts(named);
    shipped.set(named, facts);
    facts.catch(() => shipped.delete(named));
    return fileSender(await facts);
  }
  const path = resolve(cwd, named);
  if (!existsSync(path))
    throw notFound(`There is no file ${named}.`, "Give the path of an existing sender file.");
  const name = shortName(path, cwd);
  const { sign, ...written } = await readWritten(path, name);
  return fileSender(await checkSender(written, name, dirname(path)), sign);
}

/** Caches the facts of packaged senders. They never change, and parsing Stripe's YAML takes 100 ms. */
const shipped = new Map<string, Promise<SenderFacts>>();

async function readShippedFacts(name: string): Promise<SenderFacts> {
  if (existsSync(prepared(name))) return JSON.parse(readFileSync(prepared(name), "utf8"));
  const path = `${SHIPPED}${name}.yaml`;
  if (!existsSync(path)) throw unknownSender(name);
  return checkSender(await readWritten(path, name), name, dirname(path), true);
}

/**
 * Reads a packaged sender. Unlike `readSender`, it never reads a file specified by a caller.
 * @param others additional valid names, for the error message
 * @throws SandboxError `not_found`
 */
export async function readShipped(
  name: string,
  others: readonly string[],
  subject?: OfSubject,
): Promise<FileSender> {
  if (!shippedSenders().includes(name)) throw unknownSender(name, others);
  return (await readSenders([name], undefined, subject))[0]!;
}

/**
 * Reads the sender that the user specified: a file, a configured sender, or a packaged one.
 * @param configured names and files from the configuration
 * @throws SandboxError like `readSender`, `ofVersion` and `knowing`
 */
export async function findSender(
  named: string,
  configured: readonly string[],
  subject: OfSubject = {},
): Promise<FileSender> {
  const isFound = IS_PATH.test(named) || shippedSenders().includes(named);
  const own = isFound ? undefined : (await readSenders(configured)).find(({ name }) => name === named);
  return ofSubject(own ?? (await readSender(named)), subject);
}

/** The sender that calls a server under test, its API version, and values in the server's database. */
export interface OfSubject {
  sender?: string | undefined;
  version?: string | undefined;
  known?: Known | undefined;
  /** The server's path for each event type, if the types use different paths. */
  routes?: Routes | undefined;
}

function ofSubject(sender: FileSender, { version, known, routes }: OfSubject): FileSender {
  const own = knowing(ofVersion(sender, version), known);
  return routes ? own.with({ routes }) : own;
}

/**
 * Reads several senders, without duplicates.
 * @param subject settings for the sender that it names, or for the only sender
 * @throws SandboxError like `findSender`; `invalid_config` if two senders have the same name
 */
export async function readSenders(
  named: readonly string[],
  cwd?: string,
  subject?: OfSubject,
): Promise<FileSender[]> {
  const senders = await Promise.all(
    [...new Set(named)].map(async (one) => {
      const sender = await readSender(one, cwd);
      const isSubject =
        subject?.sender === undefined ? named.length === 1 : [one, sender.name].includes(subject.sender);
      return subject && isSubject ? ofSubject(sender, subject) : sender;
    }),
  );
  const twice = senders.find(({ name }, index) => senders.findIndex((one) => one.name === name) < index);
  if (twice)
    throw invalidConfig(
      `Two senders are called ${twice.name}.`,
      "Give one of these senders another name in its file.",
    );
  return senders;
}

/** A sender as users write it: data and, in a module, a function that signs. */
type WrittenSender = Configured<typeof SENDER> & { sign?: SignFunction };

async function readWritten(path: string, name: string): Promise<WrittenSender> {
  if (MODULE.test(extname(path))) {
    findSandglass();
    const shape = "Write: export default defineSender({ … }).";
    return (await loadModule({ path, name, code: "invalid_config", shape })) as WrittenSender;
  }
  const bytes = readRegularFile(path, name, MOST_BYTES, "invalid_config");
  const written = await parseFile({ name, bytes }, "invalid_config", true);
  if (!isObject(written)) return written as never;
  const { events, stories, ...rest } = written;
  // Numbers must be preserved exactly only in bodies that are sent.
  if (extname(path) === ".json" && isObject(events))
    for (const [type, event] of Object.entries(events))
      if (isObject(event) && typeof event.body === "object")
        event.body = textAt(textOf(bytes, { name, code: "invalid_config" }), ["events", type, "body"]);
  const sent = { ...(events !== undefined && { events }), ...(stories !== undefined && { stories }) };
  return { ...JSON.parse(JSON.stringify(rest)), ...sent };
}

/**
 * Validates a sender's file and fills in the defaults.
 * @param folder the file's folder, to which body paths are relative
 * @param isPackaged whether the sender is packaged. If so, its bodies are read only when needed, because the test suite
 * has already validated them
 * @throws SandboxError `invalid_config`
 */
export async function checkSender(
  written: unknown,
  source: string,
  folder: string,
  isPackaged = false,
): Promise<SenderFacts> {
  const mistakes = createMistakes(source);
  if (typeof written !== "object" || written === null || Array.isArray(written))
    throw invalidConfig(`${source} must contain an object.`, "docs/senders.md shows one.");
  const { api, objects, ...read } = check(SENDER, written, mistakes);
  if (read.name === RESERVED) mistakes.add("name", `a name other than ${RESERVED}`, read.name);
  const { delays, every } = read.retries;
  if (delays !== undefined && every !== undefined)
    mistakes.add("retries.every", "omitted if retries.delays is set", every);
  if (every !== undefined && read.retries.for === undefined)
    mistakes.add("retries.for", "a duration such as 3d, with retries.every", undefined);
  else if (every !== undefined && read.retries.for! / every > MOST_RETRIES)
    mistakes.add(
      "retries.every",
      `at least a ${MOST_RETRIES.toLocaleString("en")}th of retries.for`,
      Object(Object(written).retries).every,
    );
  checkAssumed(read, mistakes);
  for (const [index, { events }] of read.generations.entries())
    for (const type of Object.keys(events))
      if (!Object.hasOwn(read.events ?? {}, type))
        mistakes.add(`generations[${index}].events.${type}`, "an event type", type);
  const encoding = contentEncoding(read.headers);
  if (encoding !== "" && !isContentEncoding(encoding))
    mistakes.add("headers.Content-Encoding", `one of ${CONTENT_ENCODINGS.join(", ")}`, encoding);
  const events = readBodies(read.events ?? {}, isPackaged ? null : folder, mistakes);
  if (mistakes.count() === 0 && Object.keys(events).length === 0)
    mistakes.add("events", "an object with at least one type", read.events);
  for (const [name, story] of Object.entries(read.stories ?? {}))
    for (const [index, entry] of story.entries()) {
      const { type, second = [] } = typeof entry === "string" ? { type: entry } : entry;
      const kind = second.find((one) => !twoExamples(read.kinds, one));
      if (kind !== undefined)
        mistakes.add(`stories.${name}[${index}].second`, "a kind with two examples in kinds", kind);
      if (type in events) continue;
      const hint = didYouMean(type, Object.keys(events), undefined);
      mistakes.add(`stories.${name}[${index}]`, "an event type", type, hint);
    }
  if (mistakes.count() === 0 && !isPackaged) checkPlaces({ ...read, events }, mistakes);
  const answers = await readApi({ api, objects }, folder, Object.keys(events), mistakes);
  mistakes.refuse();
  return asForms({ ...read, events, ...answers });
}

/** Checks that everything listed as assumed is an existing field or one of the headers. */
function checkAssumed(
  { assumed, headers }: Pick<SenderFacts, "assumed" | "headers">,
  mistakes: Mistakes,
): void {
  const fields = [...fieldsOf(SENDER), ...Object.keys(headers).map((name) => `headers.${name}`)];
  for (const [index, name] of assumed.entries()) {
    if (fields.includes(name)) continue;
    mistakes.add(`assumed[${index}]`, "a field of the file", name, didYouMean(name, fields, undefined));
  }
}

const fieldsOf = ({ properties }: { properties: object }, before = ""): string[] =>
  Object.entries(properties as Record<string, { properties?: object }>).flatMap(
    ([name, { properties: inner }]) => [
      before + name,
      ...(inner ? fieldsOf({ properties: inner }, `${before}${name}.`) : []),
    ],
  );

function unknownSender(named: string, others: readonly string[] = []): SandboxError {
  const names = [...new Set([...others, ...shippedSenders()])];
  const meant = closest(named, names);
  return notFound(
    `There is no sender ${named.slice(0, 100)}.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Senders: ${names.join(", ")}. Start the sandbox with your own file: npx sandglass --sender ./senders/acme.yaml`,
  );
}
