import { closest, didYouMean } from "../errors/closest.ts";
import type { Mistakes } from "../schema/mistakes.ts";
import { isAt, parseBody, readJson } from "../webhooks/body-text.ts";
import { isTyped } from "../webhooks/by-type.ts";
import { valueAt } from "../webhooks/example.ts";
import { HEADER_VALUE, type SenderFacts } from "../webhooks/sender-file.ts";

/** The placeholders that templates for the signature or the headers may use. */
const IN_TEXTS = {
  header: ["signature", "time", "id", "delivery"],
  over: ["body", "time", "id", "url", "delivery", "type", "parameters", "sha256"],
  also: ["signature", "time", "id", "delivery"],
  headers: ["type", "id", "delivery", "endpoint", "time", "url", "sha1"],
} as const;

/**
 * Validates placeholders: each `{…}` in a template must be known, and each `body.…` and `header.…` must exist. A
 * misspelled one would produce wrong signatures or repeat the example's id, and the handler would be blamed.
 */
export function checkPlaces(facts: SenderFacts, mistakes: Mistakes): void {
  const { signature, headers, events, id, type, time, unit, versionAt } = facts;
  for (const part of ["header", "over", "also"] as const)
    checkText(`signature.${part}`, signature[part] ?? "", IN_TEXTS[part], mistakes);
  for (const [name, text] of Object.entries(headers))
    checkText(`headers.${name}`, text, IN_TEXTS.headers, mistakes);
  const { place } = signature;
  if (place === undefined && signature.algorithm !== "none" && !signature.header.includes("{signature}"))
    mistakes.add("signature.header", "a header with {signature} in its value", signature.header || undefined);

  const bodies = Object.values(events).map((body) => new Set(pathsOf(parseBody(String(body)), "body")));
  const sent = new Set(Object.keys(headers).map((name) => `header.${name.toLowerCase()}`));
  const known = [...new Set(bodies.flatMap((paths) => [...paths])), ...sent];
  const expect = (field: string, place: string | undefined) => {
    // The value may be missing from some of a sender's events.
    if (place === undefined || known.includes(place) || sent.has(place.toLowerCase())) return;
    if (known.some((one) => isAt(one.split(".").slice(1), place))) return;
    const where = place.startsWith("body.") ? "a field of an example body" : "a header that the sender sends";
    mistakes.add(field, where, place, didYouMean(place, known, undefined));
  };
  const fits = new RegExp(HEADER_VALUE);
  const shown = Object.values(headers).join();
  for (const [type, body] of Object.entries(events)) {
    const own = valueAt(id, {}, String(body));
    const value = `${shown.includes("{type}") ? type : ""}${shown.includes("{id}") ? own : ""}`;
    if (!fits.test(value))
      mistakes.add(`events.${type}`, "an event whose type and id fit in a header", value);
  }
  expect("id", id);
  expect("type", type);
  expect("versionAt", versionAt);
  expect("signature.place", place);
  expect("nonce", facts.nonce);
  for (const [, named] of signature.over.matchAll(/\{(body\.[^{}]+)\}/g)) expect("signature.over", named);
  if (typeof time !== "object") expect("time", time);
  for (const [field, facts] of Object.entries({ time, unit }))
    for (const [name, fact] of typeof facts === "object" ? Object.entries(facts) : []) {
      if (field === "time") expect(`time.${name}`, fact);
      if (name.endsWith("*") || name in events) continue;
      mistakes.add(
        `${field}.${name}`,
        "an event type, or the start of several followed by *",
        name,
        didYouMean(name, Object.keys(events), undefined),
      );
    }
  for (const field of ["onlyListed", "answers"] as const)
    for (const [index, name] of facts[field].entries())
      if (!Object.keys(events).some((type) => isTyped(name, type)))
        mistakes.add(
          `${field}[${index}]`,
          "an event type, or the start of several followed by *",
          name,
          didYouMean(name, Object.keys(events), ""),
        );
  for (const field of ["about", "changed"] as const)
    for (const [index, place] of facts[field].entries()) expect(`${field}[${index}]`, place);
}

function checkText(field: string, text: string, known: readonly string[], mistakes: Mistakes): void {
  for (const [, name = ""] of text.matchAll(/\{(\w+)\}/g)) {
    if (known.includes(name)) continue;
    const places = known.map((one) => `{${one}}`);
    const meant = closest(name, known);
    mistakes.add(
      field,
      `a string with the placeholders ${places.join(", ")}`,
      `{${name}}`,
      meant && `Did you mean {${meant}}?`,
    );
  }
}

function pathsOf(value: unknown, path: string): string[] {
  const inside = typeof value === "string" ? readJson(value) : value;
  if (typeof inside !== "object" || inside === null) return [path];
  if (Array.isArray(inside)) return [path, ...inside.flatMap((one) => pathsOf(one, `${path}.*`))];
  return [path, ...Object.entries(inside).flatMap(([name, inner]) => pathsOf(inner, `${path}.${name}`))];
}
