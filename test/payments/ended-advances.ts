import { expect } from "vitest";
import type { Json, TestSandbox } from "../support/sandbox.ts";

export const end = async (sandbox: TestSandbox): Promise<Json> => {
  const { status, body } = await sandbox.control("DELETE", "/clock/advance");
  expect(status).toBe(200);
  return body;
};
