import { FAILURE_WORDS, failureSentence, judge, unanswered } from "../../webhooks/failures.ts";
import { DEFAULT_POLICY } from "../../webhooks/policy.ts";
import { between, type Seeding } from "./seeding.ts";

/** How a subscriber answered one attempt. */
export interface Answer {
  ok: boolean;
  error: "status" | "timeout" | "connection_refused" | null;
  detail: string | null;
  code: number | null;
  type: string;
  body: string | null;
  server: string;
  /** Milliseconds. */
  duration: number;
}

export type AnswerKind = "received" | "inbox" | 500 | 502 | 503 | "timeout" | "refused";

const JSON_TYPE = "application/json";
const BAD_GATEWAY =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

/** Makes up an answer of a kind, with a plausible duration. */
export function answer(seeding: Seeding, kind: AnswerKind): Answer {
  const silent = { ok: false, code: null, type: "", body: null, server: "" };
  const spoken = (code: number, type: string, body: string, server: string, duration: number): Answer => {
    const { error, detail } = judge(code);
    return {
      ok: error === null,
      error: error === null ? null : "status",
      detail: error && failureSentence(error, detail!),
      code,
      type,
      body,
      server,
      duration,
    };
  };
  switch (kind) {
    case "received":
      return spoken(200, JSON_TYPE, '{"ok":true}', "nginx", between(seeding, 70, 640));
    case "inbox":
      return spoken(200, JSON_TYPE, '{"received":true}', "", between(seeding, 2, 19));
    case 500:
      return spoken(
        500,
        JSON_TYPE,
        '{"message":"Posting failed: period is closed for ledger 1400"}',
        "nginx",
        between(seeding, 240, 2_600),
      );
    case 502:
      return spoken(502, "text/html", BAD_GATEWAY, "nginx", between(seeding, 60, 420));
    case 503:
      return spoken(503, JSON_TYPE, '{"received":false}', "", between(seeding, 3, 40));
    case "timeout":
      return {
        ...silent,
        error: "timeout",
        detail: failureSentence("timeout", unanswered(null, DEFAULT_POLICY.timeout)),
        duration: DEFAULT_POLICY.timeout,
      };
    case "refused":
      return {
        ...silent,
        error: "connection_refused",
        detail: failureSentence("connection_refused", `${FAILURE_WORDS.refused} (ECONNREFUSED)`),
        duration: between(seeding, 1, 34),
      };
  }
}

/** The response headers of an answer, as a delivery's record keeps them. */
export function responseHeaders(answer: Answer, at: number): Record<string, string> | null {
  if (answer.body === null) return null;
  return {
    "content-type": answer.type,
    "content-length": String(Buffer.byteLength(answer.body)),
    date: new Date(at).toUTCString(),
    ...(answer.server === "" ? {} : { server: answer.server }),
  };
}
