import { reformatted, rewritten } from "../craft.ts";
import type { Answer, Hazard, Judgement, Outcome } from "../hazard.ts";
import { mustAccept } from "../judge.ts";

const UNKNOWN_EVENT = "payment.under_review";

/** The event without which the others say nothing. */
export const VALID_EVENT: Hazard = {
  name: "valid-event",
  title: "A valid event",
  why: "The platform sent it, signed with your secret. Anything but a complete 2xx answer counts as failed: three retries, and after ten failures in a row the endpoint is disabled.",
  fix: "Look into the receiver's log for this request.",
  mustAccept: true,
  requests: ({ material, craft }) => [craft.request("an event", material.fresh["valid-event"])],
  judge(outcome: Outcome): Judgement {
    const judged = mustAccept(outcome);
    const fix = judged.fix ?? adviceFor(outcome.answers[0]!);
    return judged.verdict === "pass" || fix === undefined ? judged : { ...judged, fix };
  },
};

/** What an answer to a valid event mostly means. */
function adviceFor({ status, error }: Answer): string | undefined {
  if (error === "connection_reset")
    return "Either the handler broke down, which its log tells, or the port speaks another protocol: https, say.";
  if (status === 404 || status === 405)
    return "Nothing takes a POST at this path. Look at the path, and at what the router there expects.";
  if (status === 400 || status === 401 || status === 403)
    return "Mostly the secrets differ: give the receiver the same one as --secret. If they are the same, it does not sign the raw bytes of the body, or looks at a header of another name (--header-prefix).";
  if (status === 413) return "Raise the limit of the body's size.";
  if (status === 415) return "Take Content-Type: application/json.";
  if (status === 429)
    return "Take the platform's requests out of the rate limit: a refused event is a failed one.";
  return undefined;
}

const retried =
  "A refusal is a failure: the event is retried for an hour, and counts towards disabling the endpoint.";

/** Events that are right, but not the usual ones: each has to get a 2xx answer. */
export const EVENTS: Hazard[] = [
  {
    name: "test-delivery",
    title: "A test delivery",
    why: "Somebody presses “send test” in the dashboard: a payment.completed with made-up data, signed, with the Test header. It has to succeed, and nobody paid.",
    fix: "Answer 2xx, and ship nothing where the header is there.",
    mustAccept: true,
    watch: "all",
    requests: ({ material, craft }) => [craft.request("a test delivery", material.test)],
    judge(outcome) {
      const judged = mustAccept(outcome);
      if (judged.verdict !== "pass" || outcome.state !== "changed") return judged;
      return {
        verdict: "warn",
        summary: `${judged.summary}, and its state changed: it was taken for a payment.`,
      };
    },
  },
  {
    name: "other-events",
    title: "Each of the other event types",
    why: `An endpoint gets all types unless it names some, and their data differs: that of checkout.* is a session. ${retried}`,
    fix: "Answer 2xx to types that you do nothing about. If the endpoint names the types it wants, leave this out with --skip other-events.",
    mustAccept: true,
    requests: ({ material, craft }) => material.others.map((event) => craft.request(event.event, event)),
    judge: mustAccept,
  },
  {
    name: "unknown-event",
    title: "An event type that you do not know",
    why: `The platform may add event types, and endpoints for all events get them. ${retried}`,
    fix: "Answer 2xx and ignore it: a default in place of an error.",
    mustAccept: true,
    requests: ({ material, craft }) => {
      const event = material.fresh["unknown-event"];
      const body = rewritten(event.body, (it) => ({ ...it, event: UNKNOWN_EVENT }));
      return [craft.request(UNKNOWN_EVENT, event, { body, headers: { Event: UNKNOWN_EVENT } })];
    },
    judge: mustAccept,
  },
  {
    name: "extra-fields",
    title: "Fields that you do not know",
    why: `The platform may add fields. ${retried}`,
    fix: "Read the fields that you need, and let a schema take others.",
    mustAccept: true,
    requests: ({ material, craft }) => {
      const event = material.fresh["extra-fields"];
      const body = rewritten(event.body, (it) => ({
        ...it,
        api_version: "2",
        data: { ...it.data, risk: { score: 0.02, flags: [] }, settled_at: null },
      }));
      return [craft.request("an event with more fields", event, { body })];
    },
    judge: mustAccept,
  },
  {
    name: "bare-event",
    title: "A checkout without customer, reference and metadata",
    why: `All of them are optional: the fields are there, and null or empty. ${retried}`,
    fix: "Expect null in clientReferenceId, customerEmail, customerName and discount_code, and keep the event when you cannot match it to an order.",
    mustAccept: true,
    requests: ({ material, craft }) => [craft.request("a bare event", material.bare)],
    judge: mustAccept,
  },
  {
    name: "unicode",
    title: "Names beyond ASCII",
    why: `Customers have names, and the signature covers the bytes of UTF-8. ${retried}`,
    fix: "Compute the HMAC of the bytes as they came, before they are decoded; if they are a text already, encode it as UTF-8.",
    mustAccept: true,
    requests: ({ material, craft }) => [craft.request("an event of Zoë Ångström 周 🧾", material.unicode)],
    judge: mustAccept,
  },
  {
    name: "other-formatting",
    title: "The same JSON in other bytes",
    why: "The platform promises a signature of the raw body, not how that is written. A receiver that parses and writes it again works until spaces, escapes or the order of keys change.",
    fix: "Verify the raw bytes: express.raw() in place of express.json(), request.text() before JSON.parse().",
    mustAccept: true,
    requests: ({ material, craft }) => {
      const event = material.fresh["other-formatting"];
      return [craft.request("an event, indented", event, { body: reformatted(event.body) })];
    },
    judge: mustAccept,
  },
  {
    name: "large-body",
    title: "A body of a megabyte",
    why: "A form may have long texts, and metadata is free. Many servers take 100 kB unless told otherwise, and then only some customers' payments are lost.",
    fix: 'Raise the limit for this route to 1 MB or more: express.raw({ limit: "2mb" }), client_max_body_size 2m in nginx.',
    mustAccept: true,
    requests: ({ material, craft }) => [
      craft.request(`an event of ${material.large.body.length} bytes`, material.large),
    ],
    judge: mustAccept,
  },
];
