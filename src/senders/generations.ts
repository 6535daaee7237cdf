import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { misuse } from "../errors/errors.ts";
import { changeJson, isObject, mergeInto, mergeOver, REMOVED, replaceAt } from "../webhooks/body-text.ts";
import { exampleText, type FileSender } from "../webhooks/described.ts";
import type { SenderFacts } from "../webhooks/sender-file.ts";
import { type Fields, fill } from "./api/fields.ts";
import { findInstalled, type Installed, readRange } from "./installed.ts";
import { versionInProject } from "./other-languages.ts";

type Generation = SenderFacts["generations"][number];

/**
 * A sender whose examples have the shape of one API version. Everything that is sent or returned is based on them.
 * @param version the version as the user writes it; by default, the version used by the package in the project or by
 * the sender's SDK for another language
 * @param cwd the project's folder
 * @throws SandboxError `bad_request` if the sender does not have versions
 */
export function ofVersion(sender: FileSender, version?: string, cwd = process.cwd()): FileSender {
  const { facts } = sender;
  if (facts.versionAt === undefined && facts.generations.length === 0) {
    if (version === undefined) return sender;
    throw misuse(
      `${sender.name}'s sender file has only one API version, and does not say where bodies contain it.`,
      "Omit version, or send your own events.",
      "version",
    );
  }
  const installed = version === undefined ? installedFor(facts, cwd) : undefined;
  const named = version ?? (installed ? undefined : versionInProject(facts, cwd));
  const older = named === undefined ? byPackage(facts, installed?.major) : byVersion(facts, named);
  const said = named ?? installedVersion(facts, installed) ?? older?.version ?? facts.version;
  return older === undefined && said === facts.version ? sender : changed(sender, older, said);
}

/**
 * The oldest generation that is at least as new as a version; undefined for the version that the file itself describes.
 */
const byVersion = ({ generations }: SenderFacts, version: string): Generation | undefined =>
  generations.findLast((one) => one.version.localeCompare(version, "en", { numeric: true }) >= 0);

/** The generation that matches a package's version; the nearest one if no generation covers the version. */
function byPackage({ generations, package: own }: SenderFacts, major?: number): Generation | undefined {
  const least = readRange(own)?.from;
  if (major === undefined || least === undefined || least <= major) return undefined;
  const older = generations.filter((one) => one.package !== undefined);
  return older.find((one) => readRange(one.package)!.from <= major) ?? older.at(-1);
}

function installedFor({ package: own }: SenderFacts, cwd: string): Installed | undefined {
  const range = readRange(own);
  return range && findInstalled(range.name, cwd);
}

/** The API version that a package declares. */
function installedVersion({ versionFile }: SenderFacts, installed?: Installed): string | undefined {
  const file = installed && versionFile !== undefined && join(installed.folder, versionFile);
  return file && existsSync(file) ? /["'](\d[^"']*)["']/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
}

function changed(sender: FileSender, older: Generation | undefined, version: string | undefined): FileSender {
  const { facts } = sender;
  const shaped = (text: string) =>
    older ? changeJson(text, (json) => mergeInto(json, (object) => dataFor(object, older, facts))) : text;
  const reshaped = <Value>(value: Value): Value => JSON.parse(shaped(JSON.stringify(value)));
  const events = Object.entries(facts.events).map(([type, body]) => {
    const text = shaped(exampleText(body));
    const data = older?.events[type];
    const merged = data ? mergeOver(text, sender.inBody(data)) : text;
    const place = facts.versionAt;
    return [type, place === undefined || version === undefined ? merged : replaceAt(merged, place, version)];
  });
  return sender.with({
    events: Object.fromEntries(events),
    ...(facts.objects && { objects: reshaped(facts.objects) }),
    ...(facts.api && { api: reshaped(facts.api) }),
    ...(version !== undefined && { version }),
    ...(older?.package !== undefined && { package: older.package }),
  });
}

/** The fields that a generation adds to an object, and the fields that it removes. */
function dataFor(object: Fields, { with: added, without }: Generation, facts: SenderFacts) {
  const kind = kindOf(object, facts);
  if (kind === undefined) return undefined;
  const own = Object.hasOwn(added, kind) ? added[kind]! : {};
  const data = fill(own, (path) => valueIn(object, path)) as Fields;
  for (const path of Object.hasOwn(without, kind) ? without[kind]! : [])
    if (valueIn(object, path) !== undefined) put(data, path.split("."), REMOVED);
  return Object.keys(data).length === 0 ? undefined : data;
}

/** The kind that an object declares or, if it declares none, the kind of the example with the same id. */
function kindOf(object: Fields, { api, kinds = {} }: SenderFacts): string | undefined {
  const { [api?.kind ?? "object"]: said, [api?.id ?? "id"]: id } = object;
  if (typeof said === "string") return said;
  return Object.keys(kinds).find((kind) => [kinds[kind]!].flat().some((example) => example === id));
}

const valueIn = (object: Fields, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => Object(value)[name], object);

function put(data: Fields, [name, ...rest]: string[], value: unknown): void {
  if (rest.length === 0) data[name!] = value;
  else {
    const { [name!]: present } = data;
    const inner = isObject(present) ? { ...present } : {};
    put(inner, rest, value);
    data[name!] = inner;
  }
}
