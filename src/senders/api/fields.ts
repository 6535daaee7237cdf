import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../webhooks/body-text.ts";

export type Fields = Record<string, unknown>;

export type Lookup = (place: string) => unknown;

const WHOLE = /^\{([^{}]+)\}$/;

/** Fills in the placeholders of a template in a sender's file. Fields whose placeholder has no value are left out. */
export function fill(form: unknown, lookup: Lookup): unknown {
  if (Array.isArray(form)) return form.map((one) => fill(one, lookup));
  if (isObject(form))
    return Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) => {
        const filled = fill(value, lookup);
        return filled === undefined ? [] : [[name, filled]];
      }),
    );
  if (typeof form !== "string") return form;
  const [, whole] = WHOLE.exec(form) ?? [];
  if (whole !== undefined) return firstOf(whole, lookup);
  return form.replaceAll(/\{([\w.|]+)\}/g, (_text, place) => String(firstOf(place, lookup) ?? ""));
}

/** For `{amount|charge.amount}`, returns the first of the two values that exists. */
function firstOf(places: string, lookup: Lookup): unknown {
  for (const place of places.split("|")) {
    const value = lookup(place);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The value at the path `a.b` in an object, or `a.0` in a list. */
export const fieldAt = (object: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce(
      (value: unknown, name) =>
        isObject(value) || (Array.isArray(value) && /^\d+$/.test(name)) ? value[name as never] : undefined,
      object,
    );

export const matches = (object: Fields, wanted: Record<string, unknown>): boolean =>
  Object.entries(wanted).every(([path, value]) => String(fieldAt(object, path) ?? "") === String(value));

/** The fields of an object that another object lacks or that have a different value there. */
export const differing = (object: Fields, other: Fields): Fields =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([name, value]) => !Object.hasOwn(other, name) || !isDeepStrictEqual(value, other[name]),
    ),
  );

/**
 * Applies a call's parameters to an object: merges objects field by field and converts form strings. An empty string
 * removes a field inside an object, as it does for metadata.
 * @param refuse called with each parameter whose shape does not match the field's
 */
export function applied(
  present: Fields,
  given: Fields,
  refuse: (name: string) => void,
  isInner = false,
): Fields {
  const result: Fields = { ...present };
  for (const [name, value] of Object.entries(given)) {
    const before = present[name];
    if (isInner && value === "") delete result[name];
    else if (isObject(value) && (isObject(before) || before == null))
      result[name] = applied(before ? (before as Fields) : {}, value, refuse, true);
    else if (typeof before === "object" && before !== null && Array.isArray(before) !== Array.isArray(value))
      refuse(name);
    else result[name] = likeness(value, before);
  }
  return result;
}

/** Converts a string from a form to the type of the value that it replaces. */
function likeness(value: unknown, before: unknown): unknown {
  if (typeof value !== "string") return value;
  if (typeof before === "boolean" && /^(?:true|false)$/.test(value)) return value === "true";
  if (typeof before === "number" && value !== "" && Number.isFinite(Number(value))) return Number(value);
  return value;
}

/**
 * Parses a call's parameters: JSON, or a form whose field names may be nested, such as `items[0][price]`. A list
 * becomes the parameter `body`.
 */
export function readParameters(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { body: value };
    if (isObject(value)) return value;
  } catch {
    // The body is not JSON, so the parameters are a form.
  }
  const fields: Fields = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll("]", "").split("[");
    put(fields, path, value);
  }
  return asLists(fields) as Fields;
}

function put(fields: Fields, [name, ...rest]: string[], value: string): void {
  const key = name === "" ? String(Object.keys(fields).length) : name!;
  if (key === "__proto__") return;
  if (rest.length === 0) fields[key] = value;
  else {
    if (!isObject(fields[key])) fields[key] = {};
    put(fields[key] as Fields, rest, value);
  }
}

/** Converts objects with the keys 0, 1, 2… to lists. */
function asLists(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, asLists(one)] as const);
  const isList = entries.length > 0 && entries.every(([name], index) => name === String(index));
  return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}
