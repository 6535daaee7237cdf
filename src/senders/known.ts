import { didYouMean } from "../errors/closest.ts";
import { misuse, type SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import { changeJson, isObject, mergeInto, readJson, rewrite, rewriteForm } from "../webhooks/body-text.ts";
import { exampleText, type FileSender } from "../webhooks/described.ts";
import {
  hasReference,
  type KnownValue,
  type KnownValues,
  resolveKnown,
  wholeWords,
} from "../webhooks/known.ts";
import type { SenderFacts } from "../webhooks/sender-file.ts";
import type { Fields } from "./api/fields.ts";

/**
 * Values in the user's database as users write them: the id of a kind of object, fields of an object, or metadata. A
 * list contains several ids or values. Names may be nested or dotted: `{ metadata: { userId: 42 } }` is `{
 * "metadata.userId": 42 }`.
 */
export type Known = Readonly<Record<string, unknown>>;

const LEAST_ID = 4;
const METADATA = "metadata";

/** The parts of a sender's examples to replace. */
interface Replacements {
  /** The new id for each example id. */
  ids: ReadonlyMap<string, string>;
  /** The new fields for each kind; the kind `metadata` applies to all metadata. */
  fields: ReadonlyMap<string, Fields>;
}

/**
 * Replaces values in a sender's examples with the user's own values, wherever they occur: in events, stories, objects
 * and API responses. Everything that is sent or returned is based on them.
 * @throws SandboxError `bad_request` for a kind that the sender does not have
 */
export function knowing(sender: FileSender, written: Known = {}): FileSender {
  const { facts } = sender;
  const known = flat(written);
  if (Object.keys(known).length === 0 && !isOwnWithReferences(facts)) return sender;
  const replacements = readReplacements(facts, known);
  const used = new Set<string>();
  const changed = (text: string) => replaced(text, facts, replacements, used);
  const text = (json: string) => replacedIds(resolvedText(json, known), replacements);
  const events = Object.fromEntries(
    Object.entries(facts.events).map(([type, body]) => {
      const example = exampleText(body);
      return [type, changed(resolvedText(example, known))];
    }),
  );
  const { stories, api, objects } = facts;
  const result: Partial<SenderFacts> = {
    events,
    known: { ...facts.known, ...known },
    ...(facts.kinds && { kinds: newKinds(facts.kinds, replacements) }),
    ...(stories && { stories: JSON.parse(changed(resolvedText(JSON.stringify(stories), known))) }),
    ...(api && { api: JSON.parse(text(JSON.stringify(api))) }),
    ...(objects && {
      objects: Object.fromEntries(
        Object.entries(objects).map(([id, object]) => [
          withIds(id, replacements),
          typeof object === "string"
            ? object
            : JSON.parse(changed(resolvedText(JSON.stringify(object), known))),
        ]),
      ),
    }),
  };
  const unused = [...replacements.fields.keys()].find((kind) => !used.has(kind));
  if (unused !== undefined)
    throw misuse(
      unused === METADATA
        ? `None of ${sender.name}'s example events contains metadata.`
        : `None of ${sender.name}'s example events contains an object of the kind ${unused}.`,
      `Send your own events, or leave ${unused}.… out of known.`,
      "known",
    );
  return sender.with(result);
}

type Kinds = NonNullable<SenderFacts["kinds"]>;

/**
 * The kinds with the examples' new ids. Short ids may also occur in other values, so a replaced value is not replaced
 * again.
 */
const newKinds = (kinds: Kinds, replacements: Replacements): Kinds =>
  Object.fromEntries(
    Object.entries(kinds).map(([kind, examples]) => [
      kind,
      [examples].flat().map((example) => {
        const id = replacements.ids.get(example);
        return id === undefined || id.length < LEAST_ID ? example : id;
      }),
    ]),
  );

const isOwnWithReferences = ({ events, stories, objects }: SenderFacts): boolean =>
  [...Object.values(events), JSON.stringify(stories ?? {}), JSON.stringify(objects ?? {})].some(
    (text) => typeof text === "string" && hasReference(text),
  );

/** Replaces each `$known.…` in JSON or in a form. */
function resolvedText(text: string, known: KnownValues): string {
  if (!hasReference(text)) return text;
  const json = readJson(text);
  if (json) return JSON.stringify(resolveKnown(json, known));
  return rewriteForm(text, (_path, value) => (readJson(value) ? value : String(resolveKnown(value, known))));
}

/** Flattens the values to full names: `{ metadata: { userId: 42 } }` becomes `{ "metadata.userId": [42] }`. */
function flat(written: Known, above = ""): Record<string, KnownValue[]> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(flat(value, `${above}${name}.`))
        : [[above + name, readValues(above + name, value)]],
    ),
  );
}

/** @throws SandboxError `bad_request` */
function readValues(name: string, value: unknown): KnownValue[] {
  const values = [value].flat();
  const isValue = (one: unknown) => /^(?:string|number|boolean)$/.test(typeof one) && one !== "";
  if (values.length > 0 && values.every(isValue)) return values as KnownValue[];
  throw misuse(
    `${name} in known must be a string or a number, or a list of them, not ${shownValue(value)}.`,
    'For example: known: { customer: "cus_123", metadata: { userId: "42" } }',
    "known",
  );
}

function readReplacements(facts: SenderFacts, known: KnownValues): Replacements {
  const kinds = facts.kinds ?? {};
  const ids = new Map<string, string>();
  const fields = new Map<string, Fields>();
  const idField = facts.api?.id ?? "id";
  for (const [name, values] of Object.entries(known)) {
    const kind = [...Object.keys(kinds), METADATA]
      .filter((one) => name === one || name.startsWith(`${one}.`))
      .toSorted((one, other) => other.length - one.length)[0];
    const path = kind === undefined ? [] : name.slice(kind.length + 1).split(".");
    if (kind === undefined || (kind === METADATA && name === kind)) throw noKind(name, facts);
    if (name === kind || (path.length === 1 && path[0] === idField && kind !== METADATA))
      for (const [index, example] of [kinds[kind]!].flat().entries()) {
        const value = values[index];
        if (value === undefined) break;
        if (/^\d+$/.test(example) && !/^\d+$/.test(String(value)))
          throw misuse(
            `A ${kind} of ${facts.name} is a number, such as ${example}, not ${value}.`,
            `For example: --known ${kind}=${example}. For one of its fields, such as a name: --known ${kind}.<field>=${value}`,
            "known",
          );
        ids.set(example, String(value));
      }
    else {
      const nested = path.reduceRight<unknown>((inner, part) => ({ [part]: inner }), values[0]);
      fields.set(kind, mergedFields(fields.get(kind) ?? {}, nested as Fields));
    }
  }
  return { ids, fields };
}

function noKind(name: string, { name: sender, kinds = {} }: SenderFacts): SandboxError {
  const names = Object.keys(kinds);
  const all = [...names, `${METADATA}.<name>`].join(", ");
  return misuse(
    `${sender} has no object kind ${name.slice(0, 100)}, which known uses.`,
    names.length === 0
      ? `The sender's file has no kinds. Add the ids from its examples, such as kinds: { customer: cus_1 }`
      : didYouMean(name, names, `Its kinds: ${all}. A field of a kind is ${names[0]}.<field>.`),
    "known",
  );
}

const mergedFields = (one: Fields, other: Fields): Fields => {
  const merged = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? mergedFields(before, value) : value;
  }
  return merged;
};

function replaced(text: string, facts: SenderFacts, replacements: Replacements, used: Set<string>): string {
  if (replacements.fields.size === 0) return replacedIds(text, replacements);
  const withFields = changeJson(text, (json) =>
    mergeInto(json, (object) => fieldsFor(object, facts, replacements, used)),
  );
  return replacedIds(withFields, replacements);
}

/** The fields to set on an object in an example. */
function fieldsFor(
  object: Fields,
  { kinds = {}, metadata, api }: SenderFacts,
  { fields }: Replacements,
  used: Set<string>,
): Fields | undefined {
  let own: Fields = {};
  const { [api?.id ?? "id"]: id, [api?.kind ?? "object"]: said } = object;
  const ownMetadata = fields.get(METADATA);
  for (const name of ownMetadata ? metadata : []) {
    if (!(name in object) || (object[name] !== null && !isObject(object[name]))) continue;
    used.add(METADATA);
    own[name] = ownMetadata;
  }
  for (const [kind, data] of fields) {
    if (kind === METADATA || (said !== kind && !isExample(kinds[kind]!, id))) continue;
    used.add(kind);
    own = mergedFields(own, data);
  }
  return Object.keys(own).length === 0 ? undefined : (alike(own, object) as Fields);
}

/**
 * Whether an id is one of the examples' ids. Numbers are compared after parsing, because parsing JSON rounds large
 * ones.
 */
const isExample = (examples: Kinds[string], id: unknown): boolean =>
  [examples].flat().some((one) => (typeof id === "number" ? Number(one) === id : one === id));

/** Converts a string from the command line to a number or boolean if the example has one. */
function alike(value: unknown, example: unknown): unknown {
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, alike(one, Object(example)[name])]),
    );
  if (typeof value !== "string") return value;
  if (typeof example === "number" && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (typeof example === "boolean" && /^(?:true|false)$/.test(value)) return value === "true";
  return value;
}

const withIds = (text: string, { ids }: Replacements): string =>
  ids.size === 0 ? text : text.replaceAll(wholeWords([...ids.keys()]), (id) => ids.get(id)!);

/** Replaces ids in JSON or in a form, whether they are strings or numbers. */
function replacedIds(text: string, replacements: Replacements): string {
  const { ids } = replacements;
  if (ids.size === 0) return text;
  return rewrite(text, (_path, value, isString) => {
    // Leave embedded JSON alone here; it is handled separately.
    if (isString && readJson(value)) return value;
    return isString ? withIds(value, replacements) : (ids.get(value) ?? value);
  });
}
