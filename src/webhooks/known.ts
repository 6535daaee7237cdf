import { misuse } from "../errors/errors.ts";
import { isObject, readJson, rewrite } from "./body-text.ts";

/** A value in the user's database. */
export type KnownValue = string | number | boolean;

/** Values in the user's database by name: `customer`, `metadata.userId`. If a name has several, the first one is used. */
export type KnownValues = Readonly<Record<string, readonly KnownValue[]>>;

/** `$known.customer` in the user's own events; `$known.price.2` is the second price. */
const REFERENCE = /\$known\.([\w-]+(?:\.[\w-]+)*)/g;
/** Matches a reference with a plus sign, which stands for a number. */
const NUMBER = /^\+(\$known\.[\w.-]+)$/;

/** Whether a string refers to a known value. */
export const hasReference = (text: string): boolean => text.includes("$known.");

/** Replaces each `$known.…` in a value. @throws SandboxError `bad_request` for an unknown name */
export function resolveKnown<Value>(value: Value, known: KnownValues = {}): Value {
  const resolved = (one: unknown): unknown => {
    if (typeof one === "string") return resolveText(one, known);
    if (Array.isArray(one)) return one.map(resolved);
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [String(resolveText(name, known)), resolved(inner)]),
    );
  };
  return resolved(value) as Value;
}

/** Replaces each `$known.…` in a serialized body. @throws SandboxError like `resolveKnown` */
export function resolveBody(body: string, known?: KnownValues): string {
  if (!hasReference(body)) return body;
  return rewrite(body, (_path, text) => (readJson(text) ? text : String(resolveText(text, known ?? {}))));
}

function resolveText(text: string, known: KnownValues): KnownValue {
  if (!hasReference(text)) return text;
  const [, reference] = NUMBER.exec(text) ?? [];
  if (reference !== undefined) return Number(resolveText(reference, known));
  const parts = [...text.matchAll(REFERENCE)].map(([whole, name]) => ({ whole, ...findValue(name!, known) }));
  const [first] = parts;
  // Preserve the type of a number.
  if (first && first.whole === text && first.rest === "") return first.value;
  return text.replaceAll(REFERENCE, (_whole, name: string) => {
    const { value, rest } = findValue(name, known);
    return `${value}${rest}`;
  });
}

/** Finds the longest known name that a text starts with. @returns its value and the rest of the text */
function findValue(text: string, known: KnownValues): { value: KnownValue; rest: string } {
  const parts = text.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join(".");
    const [, base = name, number = "1"] = known[name] ? [] : (/^(.+)\.([1-9]\d?)$/.exec(name) ?? []);
    const value = Object.hasOwn(known, base) ? known[base]![Number(number) - 1] : undefined;
    if (value !== undefined) return { value, rest: text.slice(name.length) };
  }
  const names = Object.keys(known);
  throw misuse(
    `$known.${text} has no value${names.length > 0 ? `: known contains ${names.join(", ")}` : ""}.`,
    `Set it with --known ${text}=…, or in subject.known of the configuration.`,
    "known",
  );
}

/** A short number such as 42 could mean anything. */
const isTelling = (text: string): boolean => text.length >= 6 || (text.length >= 3 && /[a-z]/i.test(text));

/** Replaces known values with their names, for example in a saved finding. */
export function maskKnown<Value>(value: Value, known: KnownValues = {}): Value {
  const names = new Map(
    Object.entries(known).flatMap(([name, values]) =>
      values.flatMap((one, index) =>
        typeof one !== "boolean" && isTelling(String(one))
          ? [[String(one), `$known.${name}${index === 0 ? "" : `.${index + 1}`}`] as const]
          : [],
      ),
    ),
  );
  if (names.size === 0) return value;
  const pattern = wholeWords([...names.keys()]);
  const maskedText = (text: string) => text.replaceAll(pattern, (one) => names.get(one)!);
  const masked = (one: unknown): unknown => {
    if (typeof one === "string") return maskedText(one);
    if (typeof one === "number") return names.has(String(one)) ? `+${names.get(String(one))}` : one;
    if (Array.isArray(one)) return one.map(masked);
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [maskedText(name), masked(inner)]));
  };
  return masked(value) as Value;
}

/** Matches any of the strings as whole words, the longest first. */
export function wholeWords(texts: readonly string[]): RegExp {
  const escaped = texts
    .toSorted((one, other) => other.length - one.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(?<![A-Za-z0-9])(?:${escaped.join("|")})(?![A-Za-z0-9])`, "g");
}

/** The name of a known value, and the next value in its list. */
export function findKnown(text: string | undefined, known: KnownValues = {}) {
  for (const [name, values] of Object.entries(known)) {
    const index = values.findIndex((one) => String(one) === text);
    if (index >= 0) return { name, next: values[index + 1] };
  }
  return undefined;
}
