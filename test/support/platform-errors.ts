import { expect } from "vitest";
import { ERROR_CONTRACT, type ErrorCode } from "./error-contract.ts";
import type { Answer } from "./sandbox.ts";

export { ERROR_CONTRACT, type ErrorCode };

export interface Expected {
  /** The field that caused the error, or null for none. If absent, anything is accepted. */
  param?: string | null;
  /** What the message must contain, such as the limit if there is one. */
  says?: string | number | undefined;
}

/** Checks that a response is an error in the platform's format: the code with its type and status, and nothing more. */
export function expectError(
  answer: Answer,
  code: ErrorCode,
  { param, says }: Expected = {},
  about = "",
): void {
  const seen = `${about}: ${answer.status} ${answer.text.slice(0, 300)}`;
  const [type, status] = ERROR_CONTRACT[code];
  expect(answer.headers.get("content-type"), seen).toMatch(/^application\/json/);
  expect(Object.keys(answer.body), seen).toEqual(["error"]);
  const { error } = answer.body;
  expect({ code: error.code, type: error.type, status: answer.status }, seen).toEqual({ code, type, status });
  expect(Object.keys(error).sort(), seen).toEqual(
    error.param === undefined ? ["code", "message", "type"] : ["code", "message", "param", "type"],
  );
  expect(error.message, seen).toMatch(/^\S.*[.…)]$/s);
  expect(answer.text, seen).not.toMatch(/\\n\s+at |node_modules|\.ts:\d/);
  if (param !== undefined) expect(error.param ?? null, seen).toBe(param);
  if (says !== undefined) expect(error.message, seen).toContain(String(says));
}
