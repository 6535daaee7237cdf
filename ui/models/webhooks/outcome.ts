import { failureText } from "../../../src/story/attempt.ts";
import type { Delivery } from "../../api-types.ts";
import { roughly } from "../format.ts";

/** How an attempt ended, as a headline. */
export function outcome({ status, response_code: code, error, duration_ms: took }: Delivery): string {
  if (status === "pending") return "Waiting for the answer";
  const time = took === null ? "" : ` after ${roughly(took)}`;
  if (status === "success") return `Delivered: answered ${code}${time}`;
  if (error === "timeout")
    return `Failed: no complete answer${took === null ? "" : ` within ${roughly(took)}`}`;
  if (code !== null) return `Failed: answered ${code}${time}`;
  return `Failed: ${failureText(error ?? "unknown", null)}${time}`;
}
