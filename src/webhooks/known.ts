import { misuse } from "../errors/errors.ts";
import { isObject, readJson, rewrite } from "./body-text.ts";

/** A value that the user's database has. */
export type KnownValue = string | number | boolean;

/** What the user's database has, by name: `customer`, `metadata.userId`. Of several values, the first is used. */
export type KnownValues = Readonly<Record<string, readonly KnownValue[]>>;

/** `$known.customer` in a person's own events; `$known.price.2` is the second price. */
const REFERENCE = /\$known\.([\w-]+(?:\.[\w-]+)*)/g;
/** In place of a number. */
const NUMBER = /^\+(\$known\.[\w.-]+)$/;

/** Whether a text names something known. */
export const hasReference = (text: string): boolean => text.includes("$known.");

/** A value with each `$known.…` replaced. @throws SandboxError `bad_request` for a name that is not known */
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

/** A body, as it is sent, with each `$known.…` replaced. @throws SandboxError as `resolveKnown` */
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
  // A number stays one.
  if (first && first.whole === text && first.rest === "") return first.value;
  return text.replaceAll(REFERENCE, (_whole, name: string) => {
    const { value, rest } = findValue(name, known);
    return `${value}${rest}`;
  });
}

/** The value of the longest known name with which a text begins, and what is left of the text. */
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

/** A short number, such as 42, may stand for anything. */
const isTelling = (text: string): boolean => text.length >= 6 || (text.length >= 3 && /[a-z]/i.test(text));

/** A value, such as a saved finding's, with the names of what is known in place of its values. */
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

/** Matches texts where no letter or digit is next to them, the longest first. */
export function wholeWords(texts: readonly string[]): RegExp {
  const escaped = texts
    .toSorted((one, other) => other.length - one.length)
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(?<![A-Za-z0-9])(?:${escaped.join("|")})(?![A-Za-z0-9])`, "g");
}

/** The name of a known value, and the value that follows it in its list. */
export function findKnown(text: string | undefined, known: KnownValues = {}) {
  for (const [name, values] of Object.entries(known)) {
    const index = values.findIndex((one) => String(one) === text);
    if (index >= 0) return { name, next: values[index + 1] };
  }
  return undefined;
}
