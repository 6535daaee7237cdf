import type { SenderFacts } from "../../webhooks/sender-file.ts";
import { findAll, type Hit, type Source } from "./sources.ts";
import { closeOf, literally } from "./text.ts";

/** A name in a sender's objects that a project uses to find its own rows: a metadata key or a reference. */

export interface KnownName {
  /** The name as written in `known`: `metadata.userId`, `checkout.session.client_reference_id`. */
  name: string;
  at: string;
  /** The kind of thing that it identifies, such as `user`; undefined if the code does not reveal it. */
  identifies: string | undefined;
  /** A string literal that the code assigns to this name. */
  written: string | undefined;
}

const MOST_NAMES = 8;
/** Properties that are not metadata keys: members of the metadata's type, or of a web page's metadata. */
const NOT_NAMES =
  /^(?:length|size|keys|values|entries|has|get|set|dig|fetch|to\w+|as|map|filter|forEach|find|title|description|openGraph|Get|items|pop|update|copy|isEmpty)$/;
const METHODS = /^(?:get|fetch|dig|Get)$/;
/**
 * Fields that refer to one of the project's rows: the kind of object, the field's name, and a pattern for its spellings
 * in code.
 */
const REFERENCES: readonly (readonly [kind: string, name: string, pattern: RegExp])[] = [
  [
    "checkout.session",
    "checkout.session.client_reference_id",
    // Code that creates a session writes the field; in a destructuring, a colon reads it.
    /\b(?:client_reference_id|clientReferenceId|ClientReferenceID)\b(?!['"]?\s*(?:=>|=(?![=>])|:(?![^{}]*\}\s*=[^=>])))/g,
  ],
  [
    "external_id",
    "external_id",
    /(?<=customer\w*[\])!?]*(?:\.|\?\.|->|_))(?:external_id|externalId)\b|\bcustomerExternalId\b|\bcustomer_external_id\b/gi,
  ],
];

const MOST_BEFORE = 160;
/** Matches the variable that the following expression is assigned to. */
const BOUND = /([\w$]+)\s*(?::[^=,\n]+)?:?=(?!=)[^=;\n]*$/;
/**
 * Matches a lookup by the following expression: `eq(teams.id, …)`, `user.update({ where: { id: …`,
 * `Order.objects.get(pk=…`, `User.find(…`.
 */
const LOOKED_UP =
  /\b(\w+)\.id,\s*(?:\w+\()?[\w.$!?[\]"']*$|\.(\w+)\.\w+\(\s*\{\s*where:\s*\{\s*id:\s*(?:\w+\()?[\w.$!?[\]"']*$|\b(\w+)\.objects\.\w+\(\s*(?:pk|id)=[\w.[\]"']*$|\b([A-Z]\w*)(?:\.|::)(?:find|find_by_id|findOrFail|findById|findByPk)\(\s*[\w.$>?!()-]*$/;

const MOST_SQL_BEFORE = 300;
/** Matches a statement that looks up a row by its id: `select status from orders where id = ?`. */
const SQL_LOOKUP = /\b(?:from|update)\s+[`"]?(\w+)[`"]?\s+(?:set\b[^;]{0,120}?\s)?where\s+[`"]?id[`"]?\s*=/gi;

/**
 * Finds the names that a handler reads.
 * @param handler the handler's files
 * @param sources all files, including those that create the sender's objects
 * @param facts the facts about the handler's sender
 */
export function findKnownNames(
  handler: readonly Source[],
  sources: readonly Source[],
  facts: SenderFacts,
): KnownName[] {
  const words = (facts.metadata ?? ["metadata"]).flatMap((word) => [word, camelCase(word)]);
  const blocks = blocksOf(words, sources);
  const found = new Map<string, KnownName>();
  const add = (name: string, field: string, { source: { text }, index, at }: Hit) => {
    if (found.has(name)) return;
    const { expression, written } = givenTo(field, blocks, handler);
    const before = text.slice(Math.max(0, index - MOST_BEFORE), index);
    const bound = BOUND.exec(before)?.[1];
    const identifies =
      subjectOf(expression) ??
      LOOKED_UP.exec(before)?.slice(1).find(Boolean) ??
      [...text.slice(Math.max(0, index - MOST_SQL_BEFORE), index).matchAll(SQL_LOOKUP)].at(-1)?.[1] ??
      subjectOf(bound) ??
      subjectOf(field);
    found.set(name, { name, at, identifies, written });
  };
  for (const hit of metadataIn(handler, words)) add(`metadata.${hit.value}`, hit.value, hit);
  for (const [kind, name, pattern] of REFERENCES) {
    if (facts.kinds?.[kind] === undefined) continue;
    const [hit] = findAll(pattern, handler);
    if (hit) add(name, hit.value, hit);
  }
  // Names that refer to rows come first: most handlers do nothing if the row is missing.
  return [...found.values()]
    .toSorted((a, b) => Number(a.identifies === undefined) - Number(b.identifies === undefined))
    .slice(0, MOST_NAMES);
}

const camelCase = (word: string): string =>
  word.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The names read from any of these variables, in each language's syntax. */
function metadataIn(sources: readonly Source[], words: readonly string[]) {
  const word = `(?:${words.map(literally).join("|")})`;
  const held = `(?:\\.|->|[?!]\\.|\\[["':]|\\.(?:get|fetch)\\(\\s*["':])${word}`;
  const member = new RegExp(
    `${held}["'\\]]*(?:\\s*,\\s*(?:\\{\\}|dict\\(\\)))?\\)?[!?]*(?:\\.|->|\\?\\.|\\?->)(\\w+)(?:\\(\\s*["':](\\w+))?|${held}["'\\]]*(?:\\s*,\\s*(?:\\{\\}|dict\\(\\)))?\\)?(?:\\s+as\\s+[^\\n;[]+\\))?[!?]*(?:\\?\\.)?\\[\\s*["':](\\w+)|\\.dig\\([^)\\n]*[:"']${word}["']?,\\s*[:"'](\\w+)`,
    "gi",
  );
  const taken = new RegExp(`\\{([^{}]*)\\}\\s*(?::[^=\\n]*)?=\\s*[^;\\n{]*${held}\\b(?!\\s*[.[(])`, "gi");
  const alias = new RegExp(
    `([\\w$]+)\\s*(?::[^=\\n]*)?:?=\\s*[^;\\n=]*${held}["'\\]]*(?!["'\\]]*[?!]*[\\w.[(-])`,
    "gi",
  );
  return sources.flatMap((source) => {
    const { text } = source;
    if (!words.some((one) => new RegExp(literally(one), "i").test(text))) return [];
    const names = [...text.matchAll(alias)].map(([, name]) => name!).filter((one) => one.length > 1);
    const ofAliases =
      names.length === 0
        ? []
        : findAll(
            new RegExp(
              `(?<![\\w$.])(?:${names.map(literally).join("|")})[!?]*(?:(?:\\.|->|\\?\\.)(?:(?:get|fetch|dig)\\(\\s*["':])?|(?:\\?\\.)?\\[\\s*["':])(\\w+)`,
              "g",
            ),
            [source],
          );
    const members = findAll(member, [source]).map((hit) => {
      const [all, called = "", argument, key, dug] = new RegExp(member.source, "i").exec(
        text.slice(hit.index),
      )!;
      const isCalled = argument === undefined && text[hit.index + all.length] === "(";
      const value = key ?? dug ?? (METHODS.test(called) ? argument : isCalled ? undefined : called);
      return { ...hit, at: hit.at, value: value ?? "" };
    });
    const fields = findAll(taken, [source]).flatMap((hit) =>
      hit.value.split(",").map((one) => ({ ...hit, at: hit.at, value: one.trim().split(/[:=\s]/)[0]! })),
    );
    return [...members, ...fields, ...ofAliases.map((hit) => ({ ...hit, at: hit.at }))].filter(
      ({ value }) => /^[a-z]\w*$/i.test(value) && !NOT_NAMES.test(value),
    );
  });
}

/**
 * Blocks of code that set fields on the sender's objects: `metadata: { userId: user.id }`, and the fields next to it.
 */
const blocksOf = (words: readonly string[], sources: readonly Source[]): string[] =>
  sources.flatMap(({ text, bare }) =>
    [
      ...text.matchAll(
        new RegExp(`\\b(?:${words.map(literally).join("|")})["'\\]]*\\s*(?::|=>|=)\\s*[\\w.]*[{[(]`, "gi"),
      ),
    ].map(({ index, 0: opened }) => text.slice(index, closeOf(bare, index + opened.length - 1))),
  );

/** The values that code assigns to a field: `userId: user.id`, `"plan" => "pro"`. */
function givenTo(
  field: string,
  blocks: readonly string[],
  sources: readonly Source[],
): { expression?: string; written?: string } {
  const given = new RegExp(
    `(?<![\\w$.>])["':]?${literally(field)}["']?\\s*(?::|=>|=(?!=))\\s*(?:(?:String|str|strval|fmt\\.Sprint|stripe\\.String)\\(\\s*)?(?:["']([\\w-]+)["']|\\$?([A-Za-z_][\\w.>$?!-]*))`,
    "g",
  );
  const within = (texts: readonly string[]) => texts.flatMap((text) => [...text.matchAll(given)]);
  const inBlocks = within(blocks);
  const all = [...inBlocks, ...within(sources.map(({ text }) => text))];
  const expression = all.map(([, , one]) => one).find((one) => subjectOf(one) !== undefined);
  const written = inBlocks.find(([, text]) => text !== undefined)?.[1];
  return { ...(expression !== undefined && { expression }), ...(written !== undefined && { written }) };
}

/** The kind of thing that an id identifies: `user` for `userId`, `user_id`, `req.user.id` or `$user->id`. */
function subjectOf(expression: string | undefined): string | undefined {
  const parts = (expression ?? "")
    .replaceAll(/[?!$]/g, "")
    .split(/\.|->/)
    .filter((one) => one !== "" && !/^to_?s(?:tring)?$/i.test(one));
  const last = parts.at(-1) ?? "";
  if (/^(?:id|pk|uuid)$/i.test(last))
    return parts.length > 1 ? parts.at(-2)!.replace(/^current_?/i, "") : undefined;
  const [, named] = /^(\w*[a-z])(?:_?id|_?uuid|ID|Id|_?pk)$/.exec(last) ?? [];
  return named?.replace(/_$/, "");
}
