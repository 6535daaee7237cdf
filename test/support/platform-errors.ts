import { expect } from "vitest";
import type { Answer } from "./sandbox.ts";

/** Every error code with its type and status, as the contract pairs them; written out, not taken from the code. */
export const ERROR_CONTRACT = {
  missing_required_field: ["invalid_request_error", 400],
  invalid_field_value: ["invalid_request_error", 400],
  invalid_address: ["invalid_request_error", 400],
  no_updates_provided: ["invalid_request_error", 400],
  invalid_status_transition: ["invalid_request_error", 400],
  duplicate_resource: ["invalid_request_error", 409],
  key_missing: ["authentication_error", 401],
  key_invalid: ["authentication_error", 401],
  key_expired: ["authentication_error", 401],
  key_revoked: ["authentication_error", 401],
  insufficient_permissions: ["permission_error", 403],
  resource_not_found: ["not_found_error", 404],
  rate_limit_exceeded: ["rate_limit_error", 429],
  idempotency_conflict: ["idempotency_error", 409],
  internal_error: ["api_error", 500],
} as const;

export type ErrorCode = keyof typeof ERROR_CONTRACT;

export interface Expected {
  /** The field at fault; null when there is none. Anything when absent. */
  param?: string | null;
  /** What the message contains: the limit, where there is one. */
  says?: string | number | undefined;
}

/** Holds an answer to the platform's error form: the code with its own type and status, and nothing more. */
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
