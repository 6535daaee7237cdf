import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inboxOf } from "../../src/timeline/attempt.ts";
import type { Delivery } from "../../ui/api-types.ts";
import { behaviourWords } from "../../ui/components/inbox-messages.tsx";
import { outcome, readable } from "../../ui/models/webhooks/attempt.ts";
import { checkIn, type Language, signatureOf, signHere } from "../../ui/models/webhooks/signature.ts";
import {
  draftOf,
  EMPTY_DRAFT,
  type FaultDraft,
  faultWords,
  hitWords,
  readDraft,
} from "../../ui/models/webhooks/switch.ts";
import { folderOf } from "../support/cli.ts";

const SECRET = "whsec_0123456789abcdef";
/** Contains all kinds of quotes, escapes, and non-ASCII letters. */
const BODY = `{"event":"payment.completed","data":{"name":"It's \\"$HOME\\" \`x\` \\\\ €\u2028 مرحبا 👩‍🚀"}}`;
const SIGNATURE = createHmac("sha256", SECRET).update(BODY).digest("hex");

function delivery(over: Partial<Delivery> = {}): Delivery {
  return {
    object: "webhook_delivery",
    id: "del_1",
    webhook_id: "wh_1",
    event: "payment.completed",
    event_type: "payment.completed",
    event_id: "evt_1",
    status: "failed",
    attempt: 1,
    trigger: "automatic",
    retry_of: null,
    resend_of: null,
    url: "http://127.0.0.1:9/",
    response_code: 503,
    status_code: 503,
    error: "status",
    error_detail: "Returned 503; a delivery succeeds with 200 to 299.",
    error_message: "Returned 503; a delivery succeeds with 200 to 299.",
    duration_ms: 12,
    next_attempt_at: null,
    request_headers: { "Content-Type": "application/json", "X-Platform-Signature": SIGNATURE },
    request_body: BODY,
    response_headers: null,
    response_body: null,
    response_body_encoding: null,
    response_size: null,
    attempted_at: "2026-01-15T09:00:00.000Z",
    created_at: "2026-01-15T09:00:00.000Z",
    completed_at: "2026-01-15T09:00:00.012Z",
    ...over,
  };
}

describe("the signature check on the page", () => {
  const can = (program: string) => {
    try {
      execFileSync(program, [program === "openssl" ? "version" : "--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  const PROGRAMS: [Language, string, string][] = [
    ["shell", "openssl", "check.sh"],
    ["node", "node", "check.mjs"],
    ["python", "python3", "check.py"],
  ];

  test.for(PROGRAMS)("the page's signature check runs as shown: %s", ([language, needs, file], { skip }) => {
    if (!can(needs)) skip(`no ${needs} here`);
    const path = join(folderOf(), file);
    // Leave out the request itself, because no server is listening here.
    writeFileSync(path, checkIn(language, delivery(), SECRET).split("# the same request")[0]!);
    const answer = execFileSync(language === "shell" ? "sh" : needs, [path], { encoding: "utf8" });
    expect(answer).toContain(language === "shell" ? SIGNATURE : language === "node" ? "true" : "True");
    const other = checkIn(language, delivery({ request_body: `${BODY} ` }), SECRET);
    writeFileSync(path, other.split("# the same request")[0]!);
    expect(execFileSync(language === "shell" ? "sh" : needs, [path], { encoding: "utf8" })).not.toContain(
      language === "shell" ? `= ${SIGNATURE}` : language === "node" ? "true" : "True",
    );
  });

  test("the browser computes the same signature, whatever the header prefix", async () => {
    expect(await signHere(BODY, SECRET)).toBe(SIGNATURE);
    expect(signatureOf(delivery({ request_headers: { "Acme-Signature": "ab" } }))).toEqual({
      header: "Acme-Signature",
      value: "ab",
    });
    expect(signatureOf(delivery({ request_headers: {} }))).toBeUndefined();
  });
});

describe("the fault form", () => {
  const draft = (over: Partial<FaultDraft>) => ({ ...EMPTY_DRAFT, ...over });
  test.each([
    [{}, { kind: "status", status: 503 }, "returns 503"],
    [{ often: "times" }, { kind: "status", status: 503, times: 2 }, "returns 503, 2 times"],
    [
      { kind: "timeout", often: "rate", rate: "25" },
      { kind: "timeout", rate: 0.25 },
      "does not respond within 30 seconds, 25% of the time",
    ],
    [
      { kind: "sequence", sequence: " 500,timeout  200 " },
      { sequence: [500, "timeout", 200] },
      "plays 500, timeout, 200",
    ],
    [
      { kind: "sequence", sequence: "deliver, 503+pass, timeout+overlap" },
      {
        sequence: [
          "deliver",
          { kind: "status", status: 503, passThrough: true },
          { kind: "timeout", overlap: true },
        ],
      },
      "plays deliver, 503+pass, timeout+overlap",
    ],
    [
      { kind: "reset", passThrough: true },
      { kind: "reset", passThrough: true },
      "the connection breaks; the real subscriber is also called",
    ],
  ] as const)("the fault form reads and writes the server's fault: %o", (over, fault, words) => {
    const read = readDraft(draft(over));
    expect(read).toEqual(fault);
    expect(faultWords(read)).toBe(words);
    expect(readDraft(draftOf(read))).toEqual(fault);
  });

  test("a fault shows how often it was applied once it has affected a request", () => {
    expect(hitWords({ hit: 0, asked: 0 })).toBe("It has not affected any request yet.");
    expect(hitWords({ hit: 1, asked: 2 })).toBe("It has affected 1 of 2 requests so far.");
  });
});

describe("the explanation of an attempt", () => {
  test.each([
    [{}, "Failed: returned 503 after 12 ms"],
    [{ status: "success", response_code: 204, error: null }, "Delivered: returned 204 after 12 ms"],
    [
      { error: "timeout", response_code: null, duration_ms: 30_000 },
      "Failed: no complete response within 30 s",
    ],
    [
      { error: "connection_refused", response_code: null, duration_ms: 1 },
      "Failed: connection refused after 1 ms",
    ],
    [{ status: "pending" }, "Waiting for the response"],
  ] as const)("an attempt shows its result: %o", (over, text) => expect(outcome(delivery(over))).toBe(text));
});

test("the page describes how an inbox behaves", () => {
  const behaviour = { status: 503, sequence: [500, 410], delay: 50, body: "no" };
  expect(behaviourWords(behaviour)).toBe("returns 500, 410 first, then 503 after 50 ms of real time");
  expect(behaviourWords({})).toBe("returns 200");
});

test("the page shows the inbox name of an address, and formats bodies by their type", () => {
  expect(inboxOf("http://127.0.0.1:4400/_sandbox/inbox/mine")).toBe("mine");
  expect(inboxOf("http://127.0.0.1:4400/w/demo/_sandbox/inbox/a.b-c")).toBe("a.b-c");
  expect(inboxOf("https://shop.example/inbox/mine")).toBeUndefined();
  expect([readable('{"a":1}'), readable("plain"), readable(null)]).toEqual(['{\n  "a": 1\n}', "plain", ""]);
});
