import { unlessThrown } from "../../../src/runtime/unless-thrown.ts";
import { failureText } from "../../../src/timeline/attempt.ts";
import type { Delivery } from "../../api-types.ts";
import { roughly } from "../format.ts";
import { hrefOfId } from "../ids.ts";

/** Formats a body for display: JSON is indented, anything else is left unchanged. */
export function readable(body: string | null): string {
  if (!body) return "";
  const value: unknown = unlessThrown(() => JSON.parse(body));
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

/** The id of the payment or session in an event's body, if the body contains one. */
export function subjectOf({ request_body: body }: { request_body: string }): string | undefined {
  const { data } = Object(unlessThrown(() => JSON.parse(body))) as { data?: { id?: unknown } };
  return typeof data?.id === "string" && hrefOfId(data.id) !== undefined ? data.id : undefined;
}

export function outcome({ status, response_code: code, error, duration_ms: took }: Delivery): string {
  if (status === "pending") return "Waiting for the response";
  const time = took === null ? "" : ` after ${roughly(took)}`;
  if (status === "success") return `Delivered: returned ${code}${time}`;
  if (error === "timeout")
    return `Failed: no complete response${took === null ? "" : ` within ${roughly(took)}`}`;
  if (code !== null) return `Failed: returned ${code}${time}`;
  return `Failed: ${failureText(error ?? "unknown", null)}${time}`;
}
