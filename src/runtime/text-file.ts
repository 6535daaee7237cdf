import { readFileSync } from "node:fs";
import { type ErrorCode, SandboxError } from "../errors/errors.ts";

/** A user's file as text, with its name and code for errors. */
export interface NamedText {
  name: string;
  code: ErrorCode;
}

/** Reads a user's file. @throws SandboxError as `textOf`; the system's error for a file that cannot be read */
export const readTextFile = (path: string, named: NamedText): string => textOf(readFileSync(path), named);

/**
 * The text of a file of the user's, without its byte order mark.
 * @throws SandboxError for UTF-16, as PowerShell 5 and some editors write it
 */
export function textOf(bytes: Uint8Array, { name, code }: NamedText): string {
  if (isUtf16(bytes))
    throw new SandboxError(
      code,
      `${name} is UTF-16; save it as UTF-8.`,
      "Most editors offer this under Save As. In PowerShell, write files with: Out-File -Encoding utf8",
    );
  return new TextDecoder().decode(bytes);
}

/** Whether bytes are UTF-16, judging by the byte order mark, or by a 0 in the first character. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  return first + second === 0xff + 0xfe ? first >= 0xfe : (first === 0) !== (second === 0);
}
