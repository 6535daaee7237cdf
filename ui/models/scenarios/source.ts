import { type Token, tokensBy } from "../code.ts";
import { type Course, failedStep, type Step } from "./course.ts";

/** Longer source is shown without colour. */
const LONGEST = 60_000;
const KEYWORDS =
  "as|async|await|break|case|catch|class|const|continue|default|do|else|export|extends|finally|for|from|function|if|import|in|interface|let|new|of|return|satisfies|switch|throw|try|type|typeof|var|while|yield";
const TOKEN = new RegExp(
  [
    /(?<comment>\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*)/,
    /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`)/,
    new RegExp(`(?<![\\w$.])(?<key>${KEYWORDS})(?![\\w$]|\\s*:)`),
    /(?<![\w$.])(?<word>true|false|null|undefined)(?![\w$])/,
    /(?<![\w$.])(?<number>\d[\d_]*(?:\.\d+)?)(?![\w$])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** A script in colour: the tokens of each of its lines. */
export function scriptLines(source: string): Token[][] {
  const lines: Token[][] = [[]];
  const add = (text: string, kind: Token["kind"]) => {
    const [first, ...more] = text.split("\n");
    if (first) lines.at(-1)!.push({ text: first, kind });
    for (const line of more) lines.push(line === "" ? [] : [{ text: line, kind }]);
  };
  const text = source.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const tokens: Iterable<Token> = text.length > LONGEST ? [{ text, kind: "plain" }] : tokensBy(TOKEN, text);
  for (const token of tokens) add(token.text, token.kind);
  return lines;
}

/** What a line of the source is to the run. A failure's own line says more than that of its step. */
export type LineMark = Step["state"] | "failure";

/** The lines of a file at which the run's steps begin, and the one at which it failed. */
export function lineMarks({ steps, failure }: Course, file: string): Map<number, LineMark> {
  const marks = new Map<number, LineMark>();
  for (const { position, state } of steps) if (position?.file === file) marks.set(position.line, state);
  if (failure?.position?.file === file) marks.set(failure.position.line, "failure");
  return marks;
}

/** Where a step begins, for the text beside its title: `line 12`, or `scenarios/_shop.ts:12` in another file. */
export const placeText = ({ file, line }: NonNullable<Step["position"]>, own: string): string =>
  file === own ? `line ${line}` : `${file}:${line}`;

/** The step that the source is to show: the one that is looked at, else the one that is under way, else the one that failed. */
export function shownStep(course: Course, looked: number | undefined): Step | undefined {
  const { steps } = course;
  return (
    steps.find(({ index }) => index === looked) ??
    steps.findLast(({ state }) => state === "running") ??
    failedStep(course)
  );
}
