import { failureText } from "../../../src/timeline/attempt.ts";
import type { Delivery } from "../../api-types.ts";
import { roughly } from "../format.ts";
import { hrefOfId } from "../ids.ts";

/** A body as it is best read: JSON with its lines, anything else as it came. */
export function readable(body: string | null): string {
  if (body === null || body === "") return "";
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The id of the payment or session that an event is about; undefined where its body names none. */
export function subjectOf({ request_body: body }: { request_body: string }): string | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: { id?: unknown } };
    return typeof data?.id === "string" && hrefOfId(data.id) !== undefined ? data.id : undefined;
  } catch {
    return undefined;
  }
}

/** A line of two attempts side by side. */
export interface Compared {
  name: string;
  left: string;
  right: string;
  same: boolean;
}

/** Two attempts, part by part: how they ended, their headers, bodies and answers. */
export function compareAttempts(left: Delivery, right: Delivery): Compared[] {
  const line = (name: string, of: (delivery: Delivery) => string | number | null | undefined): Compared => {
    const [one, other] = [String(of(left) ?? "none"), String(of(right) ?? "none")];
    return { name, left: one, right: other, same: one === other };
  };
  const headers = (name: string, of: (delivery: Delivery) => Record<string, string> | null) =>
    [...new Set([left, right].flatMap((delivery) => Object.keys(of(delivery) ?? {})))].map((header) =>
      line(`${name} ${header}`, (delivery) => of(delivery)?.[header]),
    );
  return [
    line("Sent", ({ created_at: at }) => at),
    line("Result", ({ response_code: code, error }) => code ?? error),
    line("Took, ms", ({ duration_ms: took }) => took),
    ...headers("Sent", ({ request_headers: of }) => of),
    line("Body", ({ request_body: body }) => readable(body)),
    ...headers("Answered", ({ response_headers: of }) => of as Record<string, string> | null),
    line("Answer", ({ response_body: body }) => (body === null ? undefined : readable(body))),
  ];
}

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
