const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
/** Characters that change the direction of surrounding text. Text still reads correctly without them. */
const TURNS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n|[\r\n\u2028\u2029]/;
/** Characters that XML 1.0 forbids even when escaped: most control characters, lone surrogates, two non-characters. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces characters that XML 1.0 forbids with U+FFFD. */
export function xmlSafe(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd");
}

/** Text on one line, safe for a terminal or a page: control characters are replaced. */
export function plain(text: string): string {
  return xmlSafe(text.replace(CONTROLS, "·").replace(TURNS, ""));
}

/** Splits text into lines, each cleaned by `plain`. */
export function plainLines(text: string): string[] {
  return text.split(LINE_ENDS).map((line) => plain(line.replaceAll("\t", "  ")));
}

/** Truncates text at the end if it is longer than `length`. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  // Do not leave half a surrogate pair at the end.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Truncates text, such as a URL, in the middle if it is longer than `length`. */
export function clipMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.min(8, Math.floor(length / 3));
  return `${text.slice(0, length - tail - 1)}…${text.slice(-tail)}`;
}

/** `one, two and three`. Does not use `Intl`, for the same reason as `number`. */
export const listed = (words: readonly string[], and = "and"): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${and} ${words.at(-1)}`;

/** `one, two or three` */
export const either = (words: readonly string[]): string => listed(words, "or");

export const eventsText = ({ events }: { events: readonly string[] }): string =>
  events.includes("*") ? "all events" : events.join(", ");

/**
 * `12,000`. Does not use `toLocaleString`, which loads the data of every language and would take most of a command's
 * time.
 */
export const number = (value: number): string =>
  String(value).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ",");

/** `1 step`, `12,000 steps`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** `12 B`, `3.4 KiB`, `4.4 MiB`. */
export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  const kilo = (value / 1_024).toFixed(1);
  return Number(kilo) < 1_024 ? `${kilo} KiB` : `${(value / 1_024 ** 2).toFixed(1)} MiB`;
}

/** Wraps prose into lines of at most `width` characters. A longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
