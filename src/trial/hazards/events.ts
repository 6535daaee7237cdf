import { isSuccess } from "../../webhooks/failures.ts";
import { reformatted } from "../check/craft.ts";
import { mustAccept, unseen } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Answer, Draft, Judgement, Outcome } from "./hazard.ts";
import { onlyInJson, unsaid } from "./impossible.ts";

/** The hazard that all others are compared with. It always runs first. */
export const BASELINE = "valid-event";

/** If this hazard fails, the others prove nothing. */
export const validEvent = ({ Name, outcome, facts }: Terms): Draft => ({
  name: BASELINE,
  title: "A valid event",
  why: `${Name} sent it, signed with your secret. Any response other than a complete ${facts.success} counts as a failure: ${outcome}.`,
  fix: "Look for this request in your server's log.",
  requests: ({ request, fresh }) => [
    request("an event", fresh("valid-event")),
    request("a second event of the same type", fresh("second-event")),
  ],
  judge(outcome: Outcome): Judgement {
    const judged = mustAccept(outcome);
    const fix =
      judged.fix ??
      adviceFor(outcome.answers.find(({ error }) => error !== null) ?? outcome.answers[0]!, facts);
    return judged.verdict === "pass" || fix === undefined ? judged : { ...judged, fix };
  },
});

/** Advice based on the response to a valid event. */
function adviceFor({ status, error }: Answer, { success }: Terms["facts"]): string | undefined {
  if (status !== null && isSuccess(status))
    return `Respond with ${success}: no other status is a success for this sender.`;
  if (error === "connection_reset")
    return "Either the handler crashed, as its log will show, or the port speaks another protocol, such as https.";
  if (status === 404 || status === 405)
    return "Nothing accepts a POST at this path. Check the path and your router.";
  if (status === 413) return "Raise the size limit for bodies.";
  if (status === 415) return "Accept Content-Type: application/json.";
  if (status === 429)
    return "Exempt the platform's requests from the rate limit: a rejected event counts as failed.";
  return undefined;
}

/** Unusual but valid events, each of which must get a 2xx response. */
export const eventHazards = (terms: Terms): Draft[] => {
  const { Name, retried, facts, isPlatform, types } = terms;
  return [
    {
      name: "test-delivery",
      title: "A test delivery",
      impossible: !isPlatform && "its file has no test deliveries",
      why: "“Send test” in the dashboard sends a signed payment.completed with made-up data and the Test header. It must succeed, but there is no payment.",
      fix: "Respond with 2xx, and ship nothing if the header is present.",
      watch: "all",
      requests: ({ request, test }) => [request("a test delivery", test!)],
      judge(outcome) {
        const judged = mustAccept(outcome);
        if (judged.verdict !== "pass" || outcome.state === "same") return judged;
        if (outcome.state !== "changed")
          return unseen(
            judged,
            `Only the response is visible. Check in your own data that no ${outcome.answers[0]!.request.subject} was handled, or pass a state URL.`,
          );
        return {
          verdict: "warn",
          summary: `${judged.summary}, and its state changed: it was handled as a payment.`,
        };
      },
    },
    {
      name: "other-events",
      title: "Every other event type",
      impossible: types.length < 2 && "it sends one type of event",
      why: `An endpoint receives all event types unless it lists specific ones, and each type has different data. ${retried}`,
      fix: "Respond with 2xx to types that you ignore. If your server handles the type, its log may show what the example lacks; set that with known. If your endpoint lists the types it wants, skip this hazard with --skip other-events.",
      watch: undefined,
      standsAlone: 1,
      requests: ({ request, others }) => others.map((event) => request(event.type, event)),
      aboutKnown: ({ request, othersKnown }) => othersKnown.map((event) => request(event.type, event)),
    },
    {
      name: "unknown-event",
      title: "An unknown event type",
      impossible:
        (facts.unlisted === false && "an endpoint gets only the types that it lists") ||
        unsaid(terms, "type", "where a request contains its type"),
      why: `${Name} may add event types, and endpoints that subscribe to all events receive them. ${retried}`,
      fix: "Respond with 2xx and ignore it: use a default case that is not an error.",
      watch: undefined,
      requests: ({ request, unknown }) => [request(unknown.type, unknown)],
    },
    {
      name: "extra-fields",
      title: "Unknown fields",
      why: `${Name} may add fields. ${retried}`,
      fix: "Read the fields that you need, and let your schema allow others.",
      requests: ({ request, extended }) => [request("an event with more fields", extended)],
    },
    {
      name: "bare-event",
      title: "A checkout without customer, reference or metadata",
      impossible: !isPlatform && "its file does not say which fields are optional",
      why: `The customer, reference and metadata are optional: their fields are present, but null or empty. ${retried}`,
      fix: "Expect null in clientReferenceId, customerEmail, customerName and discount_code, and store an event that matches no order.",
      requests: ({ request, bare }) => [request("a bare event", bare!)],
    },
    {
      name: "unicode",
      title: "Names with non-ASCII characters",
      why: `Customers' names contain all kinds of characters, and the signature covers their UTF-8 bytes. ${retried}`,
      fix: "Compute the HMAC of the bytes before you decode them. If your framework gives you text, encode it as UTF-8.",
      requests: ({ request, written }) => [request("an event about Zoë Ångström 周 🧾", written("unicode"))],
    },
    {
      name: "other-formatting",
      title: "The same JSON in different bytes",
      impossible: onlyInJson(terms),
      why: `${Name} signs the raw body and does not guarantee its formatting. A handler that parses and re-serializes the body works only until spaces, escapes or the order of keys change.`,
      fix: "Verify the raw bytes: use express.raw() instead of express.json(), or request.text() before JSON.parse().",
      requests: ({ request, fresh }) => {
        const event = fresh("other-formatting");
        return [request("an event, indented", event, { body: reformatted(event.body) })];
      },
    },
    {
      name: "large-body",
      title: "A body of one megabyte",
      impossible: unsaid(terms, "largest", "how large a body can be"),
      restsOn: ["largest"],
      why: "Strings may be long, and metadata is free-form. Many servers accept only 100 kB by default, so you would lose only the large events.",
      fix: 'Raise the limit for this route to 1 MB or more: express.raw({ limit: "2mb" }), client_max_body_size 2m in nginx.',
      requests: ({ request, large }) => [request(`an event of ${large!.body.length} bytes`, large!)],
    },
  ];
};
