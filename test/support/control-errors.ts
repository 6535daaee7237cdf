import { expect } from "vitest";
import type { Answer } from "./sandbox.ts";

/** Checks that a response is an error in Sandglass's own format, with the right status. */
export function expectRefusal(answer: Answer, status: number, code: string, about = ""): void {
  const seen = `${about} ${answer.status} ${answer.text.slice(0, 300)}`;
  expect({ status: answer.status, code: answer.body?.error?.code }, seen).toEqual({ status, code });
  expect(Object.keys(answer.body), seen).toEqual(["error"]);
  const { param, ...error } = answer.body.error;
  expect(Object.keys(error).sort(), seen).toEqual(["code", "hint", "message"]);
  expect(["string", "undefined"], seen).toContain(typeof param);
  expect(answer.body.error.message, seen).toMatch(/^\S.*[.…)]$/s);
  expect(answer.body.error.hint, seen).toMatch(/^[A-Z].*\S$/s);
  expect(answer.text, seen).not.toMatch(/\\n\s+at |node_modules|\.ts:\d/);
}
