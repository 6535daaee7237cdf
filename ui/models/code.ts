import { piecesOf } from "./ids.ts";

/** A piece of source, and what it is. */
export interface Token {
  text: string;
  kind: "key" | "string" | "number" | "word" | "comment" | "plain";
  /** Where the id in it leads. */
  href?: string | undefined;
}

/** Longer source is shown as it is. */
const LONGEST = 30_000;
const TOKEN =
  /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<comment>(?:^|(?<=\s))(?:#|\/\/)[^\n]*)|\b(?<word>true|false|null)\b|(?<![\w.-])(?<number>-?\d+(?:\.\d+)?)(?![\w.-])/gm;

/** Splits a source into what the named groups of a pattern match, and what lies between. */
export function* tokensBy(pattern: RegExp, source: string): Generator<Token> {
  let end = 0;
  for (const { 0: text, groups, index } of source.matchAll(pattern)) {
    if (index > end) yield { text: source.slice(end, index), kind: "plain" };
    const [kind] = Object.entries(groups!).find(([, value]) => value !== undefined)!;
    yield { text, kind: kind as Token["kind"] };
    end = index + text.length;
  }
  if (end < source.length) yield { text: source.slice(end), kind: "plain" };
}

/** Splits JSON, and other source well enough, into keys, strings, numbers and comments; ids in it are links. */
export function tokensOf(source: string): Token[] {
  if (source.length > LONGEST) return [{ text: source, kind: "plain" }];
  return [...tokensBy(TOKEN, source)].flatMap(({ text, kind }): Token[] =>
    kind === "key" ? [{ text, kind }] : piecesOf(text).map((piece) => ({ ...piece, kind })),
  );
}
