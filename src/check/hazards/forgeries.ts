import type { Hazard } from "../hazard.ts";
import { mustRefuse } from "../judge.ts";

/** 64 characters, none of which is a hex digit. */
const NOT_HEX = "signature-".repeat(7).slice(0, 64);
const NOT_ASCII = "é".repeat(64);

const VERIFY =
  "Before anything else, compute the HMAC-SHA256 of the raw body with the secret, compare it with the header in constant time, and answer 401 if they differ.";
const FORGED =
  "Anyone can send requests to a public address. Only the signature proves that the platform sent one.";

const forgeries: Omit<Hazard, "judge">[] = [
  {
    name: "wrong-signature",
    title: "A signature made with another secret",
    why: FORGED,
    fix: VERIFY,
    requests: ({ material, craft }) => {
      const event = material.fresh["wrong-signature"];
      const signature = craft.forgedSignatureOf(event.body);
      return [craft.request("an event, signed with another secret", event, { signature })];
    },
  },
  {
    name: "missing-signature",
    title: "No signature",
    why: FORGED,
    fix: "Treat a missing header like a wrong signature, and an empty body like any other: answer 401.",
    requests: ({ material, craft }) => {
      const event = material.fresh["missing-signature"];
      return [
        craft.request("an event without the signature header", event, { signature: null }),
        craft.request("an empty body without the signature header", event, { signature: null, body: "" }),
      ];
    },
  },
  {
    name: "truncated-signature",
    title: "A part of the right signature",
    why: "If you compare only the beginning, an attacker can guess a signature digit by digit, and an empty one passes. If you expect equal lengths, the handler may crash.",
    fix: "Compare lengths first, then all bytes in constant time: comparing buffers of different lengths throws.",
    requests: ({ material, craft }) => {
      const event = material.fresh["truncated-signature"];
      const right = craft.signatureOf(event.body);
      return [
        craft.request("the first 32 of its 64 digits", event, { signature: right.slice(0, 32) }),
        craft.request("its first digit", event, { signature: right.slice(0, 1) }),
        craft.request("an empty signature", event, { signature: "" }),
      ];
    },
  },
  {
    name: "malformed-signature",
    title: "A header that is not a signature",
    why: "Garbage in the header must be refused like a wrong signature. If it crashes the handler, anyone can flood your logs and alerts.",
    fix: "Refuse anything but 64 hex digits, and compare bytes, not text: some comparisons throw on text that is not ASCII or not hex.",
    requests: ({ material, craft }) => {
      const event = material.fresh["malformed-signature"];
      const wrong = craft.forgedSignatureOf(event.body);
      return [
        craft.request("64 characters that are no hex digits", event, { signature: NOT_HEX }),
        craft.request("64 characters beyond ASCII", event, { signature: NOT_ASCII }),
        craft.request("128 hex digits", event, { signature: wrong + wrong }),
      ];
    },
  },
  {
    name: "changed-body",
    title: "A body that was changed after it was signed",
    why: "Only the signature makes the amount trustworthy. It covers the exact bytes, so even an added space is a change.",
    fix: "Compute the HMAC of the raw bytes, not of parsed and re-serialized JSON.",
    requests: ({ material, craft }) => {
      const event = material.fresh["changed-body"];
      const signature = craft.signatureOf(event.body);
      const amount = event.body.replace('"amount":"2', '"amount":"9');
      return [
        craft.request("another amount under the right signature of the first", event, {
          signature,
          body: amount,
        }),
        craft.request("one more space at the end", event, { signature, body: `${event.body} ` }),
      ];
    },
  },
];

/** Requests that the platform did not send. */
export const FORGERIES = forgeries.map((one): Hazard => ({ ...one, watch: "all", judge: mustRefuse }));
