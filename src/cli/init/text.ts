/** Finds comments, strings, brackets and blocks in code in any language without parsing it. */

const STRING = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/.source;
const TEMPLATE = /`(?:\\[\s\S]|[^`\\])*`/.source;
const TRIPLE = /"""[\s\S]*?"""|'''[\s\S]*?'''/.source;
const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?\*\//.source;
const HASH = /(?<=^|\s)#(?!\[)[^\n]*/.source;
const BEGIN = /^=begin[\s\S]*?^=end/.source;
const INDENT = /^[ \t]*/.source;

/** Each language's string and comment syntax; the first group matches a string. */
const STYLES: readonly (readonly [RegExp, RegExp])[] = [
  [/\.php$/, new RegExp(`(${STRING})|${SLASHES}|${HASH}`, "gm")],
  [/\.py$/, new RegExp(`${INDENT}(?:${TRIPLE})|(${TRIPLE}|${STRING})|${HASH}`, "gm")],
  [/\.(?:rb|ru)$/, new RegExp(`${BEGIN}|(${STRING})|${HASH}`, "gm")],
  [/\.ya?ml$|\.env[^/]*$/, /(?!)()|(?<=^|\s)#[^\n]*/gm],
  [/(?:)/, new RegExp(`(${STRING}|${TEMPLATE})|${SLASHES}`, "g")],
];

const blanks = (text: string): string => text.replaceAll(/[^\n]/g, " ");
const styleOf = (path: string): RegExp => STYLES.find(([pattern]) => pattern.test(path))![1];

/** The text with comments replaced by blanks. */
export const withoutComments = (text: string, path: string): string =>
  text.replace(styleOf(path), (all, string?: string) => string ?? blanks(all));

/** The text with string contents replaced by blanks. */
export const withoutStrings = (text: string, path: string): string =>
  text.replace(styleOf(path), (all) =>
    all.length < 2 ? all : all[0] + blanks(all.slice(1, -1)) + all.at(-1),
  );

const OPENERS = "([{";
const CLOSERS = ")]}";

/** The index after the bracket that closes the one at `open`, or the end of the text. */
export function closeOf(bare: string, open: number): number {
  let depth = 0;
  for (let index = open; index < bare.length; index += 1) {
    if (OPENERS.includes(bare[index]!)) depth += 1;
    else if (CLOSERS.includes(bare[index]!)) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return bare.length;
}

/** Finds the opening bracket that matches the last closing bracket before `end`. @returns its index, or 0 */
export function openOf(bare: string, end: number): number {
  let depth = 0;
  for (let index = end - 1; index >= 0; index -= 1) {
    if (CLOSERS.includes(bare[index]!)) depth += 1;
    else if (OPENERS.includes(bare[index]!)) depth -= 1;
    if (depth === 0) return index;
  }
  return 0;
}

/** A block around a place in the code, described by the code before its opening brace, including decorators. */
export interface Block {
  header: string;
  /** The position where the code before the block starts. */
  start: number;
}

const INDENTED = /\.(?:py|rb|ru)$/;

/** The blocks around a place, innermost first. */
export const blocksAround = (text: string, bare: string, path: string, index: number): Block[] =>
  INDENTED.test(path) ? indentedBlocks(text, index) : bracketBlocks(text, bare, index);

function bracketBlocks(text: string, bare: string, index: number): Block[] {
  const blocks: Block[] = [];
  let depth = 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    if (CLOSERS.includes(bare[at]!)) depth += 1;
    if (!OPENERS.includes(bare[at]!)) continue;
    depth -= 1;
    if (depth >= 0) continue;
    depth = 0;
    let start = lineStart(text, at);
    // A brace may be on its own line.
    if (start > 0 && bare.slice(start, at).trim() === "")
      start = lineStart(text, text.slice(0, start).trimEnd().length);
    // The parameters may be on their own lines.
    const closer = /^\s*[)\]}]/.exec(bare.slice(start, at));
    if (closer) start = lineStart(text, openOf(bare, start + closer[0].length));
    start = withDecorators(text, start);
    blocks.push({ header: text.slice(start, at + 1), start });
  }
  return blocks;
}

function indentedBlocks(text: string, index: number): Block[] {
  const blocks: Block[] = [];
  let start = lineStart(text, index);
  let least = indentOf(text, start);
  while (start > 0) {
    start = lineStart(text, start - 1);
    const line = lineAt(text, start);
    if (line.trim() === "" || indentOf(text, start) >= least || /^\s*[)\]}]/.test(line)) continue;
    least = indentOf(text, start);
    const first = withDecorators(text, start);
    blocks.push({ header: text.slice(first, start + line.length), start: first });
  }
  return blocks;
}

/** The start of the line that contains an index. `lastIndexOf` would treat a negative index as 0. */
const lineStart = (text: string, index: number): number =>
  index <= 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
export const lineAt = (text: string, start: number): string => /[^\n]*/y.exec(text.slice(start))![0];
const indentOf = (text: string, start: number): number =>
  /^[ \t]*/.exec(text.slice(start, start + 200))![0].length;

/** The start of the decorators before a line, which may span several lines: `@Post("x")`, `#[Route('/x')]`. */
function withDecorators(text: string, start: number): number {
  for (let first = start, line = start, lines = 0; ; ) {
    if (line === 0 || lines > 40) return first;
    line = lineStart(text, line - 1);
    lines += 1;
    const written = lineAt(text, line);
    if (/^\s*(?:@\w|#\[)/.test(written)) [first, lines] = [line, 0];
    else if (/[{};]\s*$/.test(written) || /^\s*(?:def|class|return)\b/.test(written)) return first;
  }
}

const NAMES = [
  /\bfunction\b\s*\*?\s*(\w+)/,
  /\bclass\s+(\w+)/,
  /\bdef\s+(?:self\.)?(\w+)/,
  /\bfunc\s+(?:\([^)]*\)\s*)?(\w+)/,
  /\b(?:const|let|var)\s+(\w+)[^=]*=/,
  /\bexports\.(\w+)\s*=/,
  /^\s*(?:(?:public|private|protected|static|async|override)\s+)*(\w+)\s*(?:<[^>]*>)?\s*\([\s\S]*\{\s*$/,
  /(\w+)\s*[:=]\s*(?:async\s*)?(?:function|\()/,
];
const KEYWORDS =
  /^(?:if|for|while|switch|catch|return|await|else|try|function|do|with|constructor|async|elseif|foreach)$/;

/** The name that a block declares for its contents; undefined if it declares none. */
export function nameOf({ header }: Block): string | undefined {
  const line = header.replace(/^\s*(?:@\w[^\n]*|#\[[^\n]*)\n/gm, "");
  for (const pattern of NAMES) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && !KEYWORDS.test(name)) return name;
  }
  return undefined;
}

/** A pattern that matches a literal text. */
export const literally = (text: string): string => text.replaceAll(/[$.*+?()[\]{}|^\\/-]/g, "\\$&");

/** A pattern that matches a name as a whole word. */
export const word = (name: string): string => `(?<![\\w$])${literally(name)}(?![\\w$])`;

export const mentions = (text: string, name: string): boolean => new RegExp(word(name)).test(text);
