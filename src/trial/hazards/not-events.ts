import { answerWords, mustRefuse, refused, sentence, took } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Draft, Judgement, Outcome } from "./hazard.ts";

/** Requests with a valid signature that are not events. */
export const GET_REQUEST: Draft = {
  name: "get-request",
  title: "GET instead of POST",
  why: "Crawlers, link previews and prefetching browsers send GET requests. They have no body, so there is nothing to verify.",
  fix: "Accept only POST, and respond with 405 to everything else.",
  watch: "anyway",
  requests: ({ request, fresh }) => [
    request("the headers of an event, without a body", fresh("get-request"), { method: "GET", body: null }),
  ],
  judge(outcome: Outcome): Judgement {
    const { answers, state } = outcome;
    if (!answers.some(took)) return mustRefuse(outcome);
    if (state === "same")
      return {
        verdict: "warn",
        summary: `It returned ${answerWords(answers)}, and its state did not change: there may be a page at this address.`,
      };
    return { verdict: "fail", summary: `It returned ${answerWords(answers)} to a GET.` };
  },
};

/** Signed nonsense. Only someone with the secret can send it, so it is not an attack. */
export const notAnEvent = ({ name }: Terms): Draft => ({
  name: "not-an-event",
  title: "A valid signature, but not an event",
  why: `Only ${name} can send it, so it is not an attack. But if a parsing exception stops your server, every other request fails with it.`,
  fix: "Catch the parser's exceptions, and respond with 400.",
  requests: ({ request, fresh }) => {
    const event = fresh("not-an-event");
    return [
      request("text that is not JSON", event, { body: "payment completed" }),
      request("an empty body", event, { body: "" }),
      request("JSON without an event in it: null", event, { body: "null" }),
    ];
  },
  judge(outcome: Outcome): Judgement {
    const { answers, state } = outcome;
    if (state === "changed")
      return { verdict: "warn", summary: `It returned ${answerWords(answers)}, and its state changed.` };
    const broken = answers.find((answer) => !took(answer) && !refused(answer));
    if (broken === undefined) return { verdict: "pass", summary: `returned ${answerWords(answers)}` };
    return { verdict: "warn", summary: sentence(broken, outcome) };
  },
});
