import { xmlSafe } from "../story/text.ts";

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for the content of an element. A reader gets the same text back, line ends included. */
export function xmlText(text: string): string {
  return xmlSafe(text).replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? reference(character));
}

/** Text for an attribute value in double quotes. Unescaped, a reader would turn its line ends and tabs into spaces. */
export function xmlAttribute(text: string): string {
  return xmlSafe(text).replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? reference(character));
}

const reference = (character: string): string => `&#${character.charCodeAt(0)};`;
