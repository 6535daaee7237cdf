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
  /("(?:[^"\\\n]|\\.)*")(\s*:)?|('(?:[^'\\\n]|\\.)*')|((?:^|(?<=\s))(?:#|\/\/)[^\n]*)|\b(true|false|null)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)(?![\w.-])/gm;

/** Splits JSON, and other source well enough, into keys, strings, numbers and comments; ids in it are links. */
export function tokensOf(source: string): Token[] {
  if (source.length > LONGEST) return [{ text: source, kind: "plain" }];
  const tokens: Token[] = [];
  let end = 0;
  const add = (text: string | undefined, kind: Token["kind"]) => {
    if (!text) return;
    if (kind === "key") tokens.push({ text, kind });
    else for (const piece of piecesOf(text)) tokens.push({ ...piece, kind });
  };
  for (const match of source.matchAll(TOKEN)) {
    const [whole, double, colon, single, comment, word, figure] = match;
    add(source.slice(end, match.index), "plain");
    add(double, colon === undefined ? "string" : "key");
    add(colon, "plain");
    add(single, "string");
    add(comment, "comment");
    add(word, "word");
    add(figure, "number");
    end = match.index + whole.length;
  }
  add(source.slice(end), "plain");
  return tokens;
}
