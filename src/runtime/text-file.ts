import { readFileSync } from "node:fs";
import { type ErrorCode, SandboxError } from "../errors/errors.ts";

/** A text file's name and error code, used in errors. */
export interface NamedText {
  name: string;
  code: ErrorCode;
}

/** Reads a user's text file. @throws SandboxError like `textOf`; the system's error if the file cannot be read */
export const readTextFile = (path: string, named: NamedText): string => textOf(readFileSync(path), named);

/**
 * Decodes a user's file, leaving out its byte order mark.
 * @throws SandboxError for UTF-16, which PowerShell 5 and some editors produce
 */
export function textOf(bytes: Uint8Array, { name, code }: NamedText): string {
  if (isUtf16(bytes))
    throw new SandboxError(
      code,
      `${name} is UTF-16; save it as UTF-8.`,
      "Most editors offer this under Save As. In PowerShell, use: Out-File -Encoding utf8",
    );
  return new TextDecoder().decode(bytes);
}

/** Whether bytes are UTF-16, judging by the byte order mark or by a 0 byte in the first character. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  return first + second === 0xff + 0xfe ? first >= 0xfe : (first === 0) !== (second === 0);
}
