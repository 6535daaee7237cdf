import { piecesOf } from "./ids.ts";

export interface Token {
  text: string;
  kind: "key" | "string" | "number" | "word" | "comment" | "plain";
  /** The link target, if the token contains an id. */
  href?: string | undefined;
}

/** Source code longer than this is not highlighted. */
const LONGEST = 30_000;
const TOKEN =
  /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<comment>(?:^|(?<=\s))(?:#|\/\/)[^\n]*)|\b(?<word>true|false|null)\b|(?<![\w.-])(?<number>-?\d+(?:\.\d+)?)(?![\w.-])/gm;

/**
 * Splits source code into tokens and links the ids in it. The result is exact for JSON and good enough for other
 * languages.
 */
export function tokensOf(source: string): Token[] {
  if (source.length > LONGEST) return [{ text: source, kind: "plain" }];
  const tokens: Token[] = [];
  let end = 0;
  const add = (text: string, kind: Token["kind"]) =>
    tokens.push(...(kind === "key" ? [{ text, kind }] : piecesOf(text).map((piece) => ({ ...piece, kind }))));
  for (const { 0: text, groups, index } of source.matchAll(TOKEN)) {
    add(source.slice(end, index), "plain");
    const [kind] = Object.entries(groups!).find(([, value]) => value !== undefined)!;
    add(text, kind as Token["kind"]);
    end = index + text.length;
  }
  add(source.slice(end), "plain");
  return tokens;
}
