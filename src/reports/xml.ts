const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** What XML 1.0 has no place for, escaped or not: most control characters, halves of pairs, two non-characters. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text without what XML 1.0 forbids: U+FFFD stands in each such place. */
export function xmlSafe(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd");
}

/** Text for the content of an element. A reader gets the same text back, line ends included. */
export function xmlText(text: string): string {
  return xmlSafe(text).replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? reference(character));
}

/** Text for an attribute value in double quotes. Unescaped, a reader would turn its line ends and tabs into spaces. */
export function xmlAttribute(text: string): string {
  return xmlSafe(text).replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? reference(character));
}

const reference = (character: string): string => `&#${character.charCodeAt(0)};`;
