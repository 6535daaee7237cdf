import type { RequestSummary } from "../http/request-log.ts";
import { clip, plain } from "./text.ts";

/** How many of the latest API calls a failure shows. */
export const MOST_CALLS = 20;
/** Longer lines are truncated: paths and messages may contain user data. */
const LONGEST = 400;

type ApiCall = Pick<RequestSummary, "method" | "path" | "status" | "error">;

/** API calls with a heading, one per line: `POST /platform/api/v1/products 400 missing_required_field: name is required.` */
export const callLines = (calls: readonly ApiCall[]): string[] =>
  calls.length === 0 ? [] : ["API calls:", ...calls.map((call) => `  ${callText(call)}`)];

function callText({ method, path, status, error }: ApiCall): string {
  const reason = error === null ? "" : [error.code, error.message].filter(Boolean).join(": ");
  return plain(clip([method, path, status, reason].filter((part) => part !== "").join("  "), LONGEST));
}
