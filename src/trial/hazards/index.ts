import type { CheckLeftOut } from "../../library/check.ts";
import { readJson } from "../../webhooks/body-text.ts";
import type { SenderFacts } from "../../webhooks/sender-file.ts";
import { numericIds } from "../check/leaves.ts";
import { PLATFORM_TERMS, type Terms } from "../check/terms.ts";
import { BASELINE, eventHazards, validEvent } from "./events.ts";
import { forgeryHazards } from "./forgeries.ts";
import type { Hazard } from "./hazard.ts";
import { GET_REQUEST, notAnEvent } from "./not-events.ts";
import { repeatHazards } from "./repeats.ts";
import { secretHazards } from "./secrets.ts";
import { wireHazards } from "./wire.ts";

export { BASELINE };

type Reason = (terms: Terms, signature: SenderFacts["signature"] | undefined) => string | false;

const unsigned: Reason = (_terms, signature) => signature?.algorithm === "none" && "it signs nothing";
const otherSecret: Reason = (terms, signature) =>
  unsigned(terms, signature) ||
  (terms.signsItself && "code of its file signs, which may not take a made-up secret");
const untimed: Reason = (terms, signature) =>
  unsigned(terms, signature) ||
  (!/\{time\}/.test(terms.signsItself ? (signature?.header ?? "") : (signature?.over ?? ""))
    ? "its signature has no time"
    : signature?.clock === "virtual" && "the time in its signature is virtual, so no verifier compares it");
const once: Reason = ({ policy }) => policy.retryDelays.length === 0 && "it sends nothing again by itself";
const form: Reason = ({ bodies: [body = "{}"] }) =>
  readJson(body) === undefined && "its bodies are forms, which escape what is not ASCII";
const needs =
  (field: "time" | "type" | "largest", what: string): Reason =>
  ({ facts }) =>
    facts !== null && facts[field] === undefined && `its file does not say ${what}`;

/** Why a sender cannot cause a hazard; false where it can. Any sender can cause the others. */
const IMPOSSIBLE: Record<string, Reason> = {
  "wrong-signature": otherSecret,
  "missing-signature": unsigned,
  "truncated-signature": unsigned,
  "malformed-signature": otherSecret,
  "changed-body": (terms, signature) =>
    unsigned(terms, signature) ||
    (signature !== undefined &&
      !terms.signsItself &&
      !signature.over.includes("{body}") &&
      "its signature does not cover the body"),
  "stale-timestamp": untimed,
  "future-timestamp": untimed,
  "two-signatures": (terms, signature) =>
    otherSecret(terms, signature) ||
    (signature?.also === undefined && "its header has one signature at any time"),
  "old-secret": (terms, signature) =>
    unsigned(terms, signature) ||
    (terms.oldSecret === undefined &&
      (otherSecret(terms, signature) ||
        (signature?.also === undefined &&
          "its header has one signature at any time, and --old-secret names no secret that was replaced"))),
  "test-delivery": ({ facts }) => facts !== null && "its file has no test deliveries",
  "other-events": ({ facts, types }) => facts !== null && types.length < 2 && "it sends one type of event",
  "unknown-event": needs("type", "where a request names its type"),
  "bare-event": ({ facts }) => facts !== null && "its file does not say which fields are optional",
  "large-body": needs("largest", "how large a body can be"),
  "large-ids": ({ bodies }) =>
    !bodies.some((body) => numericIds(body).length > 0) && "it has no ids that are numbers",
  "other-formatting": form,
  crlf: form,
  "split-character": form,
  "line-separator": form,
  duplicate: ({ policy, facts }) =>
    policy.retryDelays.length === 0 && facts?.resend === false && "it sends nothing again",
  "duplicate-at-once": once,
  "late-retry": once,
  "reordered-events": ({ facts }) => facts?.order === "endpoint" && "it sends events in their order",
  "old-event": (terms, signature) =>
    once(terms, signature) ||
    needs("time", "where a body has its time")(terms, signature) ||
    (terms.facts?.assumed.includes("time") === true &&
      "it does not publish whether the time in its body stays over retries"),
};

/** The facts of a sender's file that the verdict of a hazard rests on. */
const RESTS_ON: Record<string, string[]> = {
  "stale-timestamp": ["signature.tolerance"],
  "future-timestamp": ["signature.tolerance", "signature.ahead"],
  "two-signatures": ["signature.also"],
  "old-secret": ["signature.also"],
  "large-body": ["largest"],
  "old-event": ["retries.delays", "retries.every"],
  "slow-answer": ["timeout"],
};

/** The facts that the verdict of a hazard rests on and that the sender does not publish. */
export const assumedFor = (name: string, { facts }: Terms): string[] =>
  (RESTS_ON[name] ?? []).filter(
    (field) =>
      facts?.assumed.includes(field) ||
      (field === "signature.tolerance" && facts?.signature.tolerance === undefined),
  );

/** What a sender can cause, in the order in which it is tried, and what it cannot. What may end a receiver comes last. */
export function hazardsOf(terms: Terms): { hazards: Hazard[]; leftOut: CheckLeftOut[] } {
  const hazards: Hazard[] = [];
  const leftOut: CheckLeftOut[] = [];
  for (const hazard of [
    validEvent(terms),
    ...forgeryHazards(terms),
    ...secretHazards(terms),
    GET_REQUEST,
    ...eventHazards(terms),
    ...wireHazards(terms),
    ...repeatHazards(terms),
    notAnEvent(terms),
  ]) {
    const { name, title } = hazard;
    const reason = IMPOSSIBLE[name]?.(terms, terms.facts?.signature) ?? false;
    if (reason === false) hazards.push(hazard);
    else leftOut.push({ name, title, reason });
  }
  return { hazards, leftOut };
}

/** What the platform can cause. */
export const HAZARDS: readonly Hazard[] = hazardsOf(PLATFORM_TERMS).hazards;

/** The names of all hazards, of every sender. */
export const HAZARD_NAMES: readonly string[] = [...HAZARDS, ...hazardsOf(PLATFORM_TERMS).leftOut].map(
  ({ name }) => name,
);
