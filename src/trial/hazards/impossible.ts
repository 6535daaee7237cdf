import { readJson } from "../../webhooks/body-text.ts";
import type { Terms } from "../check/terms.ts";

/** Returns why a sender cannot cause a hazard; false if it can. */

type Reason = (terms: Terms) => string | false;

export const unsigned: Reason = ({ facts }) => facts.signature.algorithm === "none" && "it signs nothing";

export const otherSecret: Reason = (terms) =>
  unsigned(terms) ||
  (terms.signsItself && "its file signs with code, which may not accept a made-up secret") ||
  (terms.facts.signature.algorithm === "jwt-es256" && "its key comes from its file, not from a secret");

export function untimed(terms: Terms): string | false {
  const { header, over, clock, tolerance } = terms.facts.signature;
  return (
    unsigned(terms) ||
    (!/\{time\}/.test(terms.signsItself ? header : over)
      ? "its signature has no time"
      : clock === "virtual"
        ? "the time in its signature is virtual, so no verifier compares it"
        : tolerance === "any" && "its own verifier does not look at the time")
  );
}

export const once: Reason = ({ policy }) => policy.retryDelays.length === 0 && "it does not retry";

/** Form bodies cannot express everything that JSON can. */
export const onlyInJson: Reason = ({ bodies: [body = "{}"] }) =>
  readJson(body) === undefined && "its bodies are forms, which escape non-ASCII characters";

export const unsaid = ({ facts }: Terms, field: "time" | "type" | "largest", what: string): string | false =>
  facts[field] === undefined && `its file does not say ${what}`;
