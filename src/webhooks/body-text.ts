import { findNodeAtLocation, getNodeValue, type Node, parseTree } from "jsonc-parser";
import { unlessThrown } from "../runtime/unless-thrown.ts";

/**
 * Reads and edits JSON and form bodies as text. Edits leave every other byte unchanged: `1.10`, `\/`, integers beyond
 * 2^53, repeated names, whitespace.
 */

/** The keys and indexes that lead to a value: `["items", 0, "id"]`. */
export type Path = readonly (string | number)[];

/**
 * Returns the replacement text of a scalar value, or the same text. Changes to `true`, `false` and `null` are ignored.
 * @param text a string's characters; any other value as written
 * @param isString whether it is quoted, or in a form
 */
export type ChangeValue = (path: Path, text: string, isString: boolean) => string;

/** A range of the text, and its replacement. */
interface Edit {
  at: number;
  length: number;
  text: string;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let edited = "";
  let end = 0;
  for (const { at, length, text: replacement } of edits.toSorted((one, other) => one.at - other.at)) {
    edited += text.slice(end, at) + replacement;
    end = at + length;
  }
  return edited + text.slice(end);
}

/** Parses a JSON object or list; undefined for any other text. */
export function readJson(text: string): object | undefined {
  const value: unknown = unlessThrown(() => JSON.parse(text));
  return typeof value === "object" && value !== null ? value : undefined;
}

/** Names in brackets are nested: `customer[email]`. */
const formPath = (name: string): string[] => name.replaceAll("]", "").split("[");

/** A form's raw pairs, each with its decoded value. */
const pairsOf = (text: string) =>
  text.split("&").map((pair) => {
    const [[name, value] = ["", ""]] = new URLSearchParams(pair);
    return { pair, name, value };
  });

const writePair = (name: string, value: string): string => String(new URLSearchParams([[name, value]]));

export function textAt(json: string, path: Path): string | undefined {
  const root = parseTree(json);
  const found = root && findNodeAtLocation(root, [...path]);
  return found && json.slice(found.offset, found.offset + found.length);
}

/** All keys and indexes of a path. Names with dots are split. */
export const namesIn = (path: Path): string[] => path.flatMap((name) => `${name}`.split("."));

/** Whether a path matches a pattern such as `body.items.*.id`. */
export function isAt(path: Path, place: string): boolean {
  if (!place.endsWith("*") && !place.endsWith(`.${path.at(-1)}`)) return false;
  const [part, ...names] = place.split(".");
  const at = namesIn(path);
  return (
    part === "body" &&
    at.length === names.length &&
    names.every((name, index) => name === "*" || name === at[index])
  );
}

/** Rewrites the values of a body, including those of JSON embedded in strings. */
export function rewrite(body: string, change: ChangeValue): string {
  return readJson(body) === undefined ? rewriteForm(body, change) : rewriteJson(body, change);
}

/** Like `rewrite`, for JSON. @param above the path to the JSON */
export function rewriteJson(text: string, change: ChangeValue, above: Path = []): string {
  const edits: Edit[] = [];
  const visit = (node: Node, path: Path): void => {
    const { type, children = [], offset: at, length } = node;
    if (type === "object")
      for (const { children: pair } of children) visit(pair![1]!, [...path, pair![0]!.value]);
    else if (type === "array")
      for (const [index, child] of children.entries()) visit(child, [...path, index]);
    else {
      const written = text.slice(at, at + length);
      const value: string = type === "string" ? node.value : written;
      const changed = changeText(value, path, type === "string", change);
      // `true`, `false` and `null` cannot be changed to another value of their type.
      if (changed !== value && (type === "string" || type === "number"))
        edits.push({ at, length, text: type === "string" ? JSON.stringify(changed) : changed });
    }
  };
  const root = parseTree(text);
  if (root) visit(root, above);
  return applyEdits(text, edits);
}

/** Like `rewrite`, for a form. */
export const rewriteForm = (text: string, change: ChangeValue): string =>
  pairsOf(text)
    .map(({ pair, name, value }) => {
      const changed = changeText(value, formPath(name), true, change);
      return changed === value ? pair : writePair(name, changed);
    })
    .join("&");

function changeText(value: string, path: Path, isString: boolean, change: ChangeValue): string {
  const changed = change(path, value, isString);
  if (changed !== value || !isString || !/^\s*[[{]/.test(value) || readJson(value) === undefined)
    return changed;
  return rewriteJson(value, change, path);
}

export const replaceAt = (body: string, place: string, text: string): string =>
  rewrite(body, (path, present) => (isAt(path, place) ? text : present));

/** All scalar values of a body, in order. */
export function valuesOf(body: string): { path: Path; text: string; isString: boolean }[] {
  const found: { path: Path; text: string; isString: boolean }[] = [];
  rewrite(body, (path, text, isString) => {
    found.push({ path, text, isString });
    return text;
  });
  return found;
}

/** Parses a body; all fields of a form are strings. */
export const parseBody = (body: string): Record<string, unknown> =>
  (readJson(body) as Record<string, unknown> | undefined) ?? Object.fromEntries(new URLSearchParams(body));

/**
 * Merges a caller's data into a body: objects field by field, anything else replaced whole. Applies to each event of a
 * batch.
 */
export function mergeOver(body: string, data: object): string {
  if (readJson(body) === undefined) return mergeOverForm(body, data);
  const edits: Edit[] = [];
  const root = parseTree(body)!;
  for (const node of root.type === "array" ? (root.children ?? []) : [root])
    edits.push(...editsFor(node, data));
  return applyEdits(body, edits);
}

/** Applies a change to a body's JSON, which a form carries in its fields. */
export const changeJson = (body: string, change: (json: string) => string): string =>
  readJson(body)
    ? change(body)
    : rewriteForm(body, (_path, value) => (readJson(value) ? change(value) : value));

/** Merges data into objects anywhere in JSON. @param dataFor the data for an object; undefined to leave it alone */
export function mergeInto(
  json: string,
  dataFor: (object: Record<string, unknown>) => object | undefined,
): string {
  const edits: Edit[] = [];
  const visit = (node: Node): void => {
    const data = node.type === "object" ? dataFor(getNodeValue(node)) : undefined;
    if (data) edits.push(...editsFor(node, data));
    for (const child of node.children ?? []) visit(child);
  };
  const root = parseTree(json);
  if (root) visit(root);
  // Drop edits inside a value that is itself replaced.
  const isInside = ({ at }: Edit, other: Edit) => other.at < at && at < other.at + other.length;
  return applyEdits(
    json,
    edits.filter((edit) => !edits.some((other) => isInside(edit, other))),
  );
}

/** Marks a field to be removed, in merged data. */
export const REMOVED = Symbol("removed");

function editsFor(node: Node, data: object): Edit[] {
  const edits: Edit[] = [];
  const added: string[] = [];
  const removed = new Set<Node>();
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue;
    // If a name is repeated, JSON parsers use the last one.
    const pair = node.children?.findLast(({ children }) => children?.[0]?.value === name);
    const present = pair?.children?.[1];
    if (value === REMOVED) {
      for (const one of node.children ?? []) if (one.children?.[0]?.value === name) removed.add(one);
    } else if (!present) added.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    else if (isObject(value) && present.type === "object") edits.push(...editsFor(present, value));
    else if (JSON.stringify(getNodeValue(present)) !== JSON.stringify(value))
      edits.push({ at: present.offset, length: present.length, text: JSON.stringify(value) });
  }
  const last = node.children?.at(-1);
  const at = last ? last.offset + last.length : node.offset + 1;
  const isEmpty = (node.children ?? []).every((one) => removed.has(one));
  if (added.length > 0) edits.push({ at, length: 0, text: (isEmpty ? "" : ",") + added.join(",") });
  return [...edits, ...removalsFrom(node.children ?? [], removed)];
}

/** Removes fields along with the comma after them, or before them if no remaining field follows. */
function removalsFrom(fields: readonly Node[], removed: ReadonlySet<Node>): Edit[] {
  const lastKept = fields.findLastIndex((one) => !removed.has(one));
  return fields.flatMap((field, index) => {
    if (!removed.has(field)) return [];
    const end = field.offset + field.length;
    const before = fields[index - 1];
    const from = index < lastKept || !before ? field.offset : before.offset + before.length;
    const to = index < lastKept ? fields[index + 1]!.offset : end;
    return [{ at: from, length: to - from, text: "" }];
  });
}

function mergeOverForm(body: string, data: object): string {
  const left = new Map(Object.entries(data));
  const written = pairsOf(body).map(({ pair, name, value }) => {
    if (!left.has(name)) return pair;
    const given: unknown = left.get(name);
    left.delete(name);
    const merged = isObject(given) && readJson(value) ? mergeOver(value, given) : textOf(given);
    return merged === value ? pair : writePair(name, merged);
  });
  return [...written, ...[...left].map(([name, value]) => writePair(name, textOf(value)))].join("&");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Whether the file's reader preserved a number's original text. */
const isRawNumber = (value: object): boolean => Object.isFrozen(value) && "rawJSON" in value;
