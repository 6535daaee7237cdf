import { listed } from "../../timeline/text.ts";
import { MINUTE } from "../../world/duration.ts";
import { readJson } from "../body-text.ts";
import type { Message, Sender } from "../sender.ts";
import { headerOf, type Signing } from "../signing.ts";
import { rewritingsOf } from "./rewritten.ts";

/** A secret known to the sandbox or the trial, and its origin: `STRIPE_WEBHOOK_SECRET`. */
export interface KnownSecret {
  secret: string;
  from: string;
}

/** A valid event that a server refused. */
export interface RefusedEvent {
  sender: Sender;
  message: Message;
  /** Secrets other than the signing one. */
  secrets: readonly KnownSecret[];
  /** Other senders that the server may have been written for. */
  others: readonly Sender[];
  /** What the server returned or printed when it refused the event. */
  words?: string | undefined;
  /** How to send with the machine's current time, as an instruction. */
  atNow: string;
}

/** The event as a server with a particular mistake would accept it, otherwise unchanged. */
export interface Variant {
  /** The difference in a few words: `signed over JSON.stringify(body)`. */
  what: string;
  /** The cause, as a sentence, if the server accepts the variant. */
  cause: string;
  fix: string;
  /** Values to sign instead of the message's own. */
  signed?: Partial<Message>;
  signing?: Partial<Signing>;
  /** Another sender whose headers are added to the event's own. */
  as?: Sender;
  /** The body to send instead of the event's. */
  body?: string;
  /** Whether the variant is the unchanged event, signed with another known secret. */
  isOtherSecret?: true;
  /** Whether the variant tests the event's time, which a server may refuse despite a valid signature. */
  isOfEvent?: true;
}

/** No verifier distinguishes times that are closer together than this. */
const LEAST_APART = MINUTE;

/**
 * The variants of a refused event, most likely mistakes first; empty if code in the sender's file signs, because only
 * that code knows what it signs.
 * @param now milliseconds since the epoch
 */
export function variantsOf(refused: RefusedEvent, now: number): Variant[] {
  const { sender, message } = refused;
  const { signing } = sender;
  const times = sender.signsItself ? [] : eventTimes(refused, now);
  if (signing === undefined) return times;
  const { algorithm } = signing;
  return [
    ...(algorithm === "secret" ? [] : bodies(message, signing, sender.name)),
    ...secrets(refused, signing),
    ...(/^hmac-/.test(algorithm) ? forms(signing, sender.name) : []),
    ...signatureTimes(refused, signing, now),
    ...times,
    ...(signing.over.includes("{url}") ? addresses(message) : []),
    ...strangers(refused),
  ];
}

function bodies({ body }: Message, { over }: Signing, name: string): Variant[] {
  const rewritten = rewritingsOf(body).map(({ rewriting, written }) => {
    const ways = Object.entries(rewriting.raw).map(([framework, how]) => `${framework}: ${how}`);
    return {
      what: `signed over ${rewriting.name}`,
      cause: `It verifies ${rewriting.name} instead of the raw body.`,
      fix: `Verify the raw body, as it arrives. ${ways.join("; ")}.`,
      signed: { body: written },
    };
  });
  const raw = "Verify the body exactly as it arrives.";
  const inForm = readJson(body) ? undefined : [...new URLSearchParams(body).values()].find(readJson);
  return [
    ...rewritten,
    ...(inForm === undefined
      ? []
      : [
          {
            what: "signed over the JSON in the form",
            cause: "It verifies the JSON in the form instead of the raw body.",
            fix: raw,
            signed: { body: inForm },
          },
        ]),
    {
      what: "signed with a line break after the body",
      cause: "It verifies the body with a line break added to its end.",
      fix: raw,
      signed: { body: `${body}\n` },
    },
    {
      what: "signed without the white space around the body",
      cause: "It removes the white space around the body before it verifies.",
      fix: raw,
      signed: { body: body.trim() },
    },
    ...(over === "{body}"
      ? []
      : [
          {
            what: "signed over only the body",
            cause: `It verifies only the body, but ${name} signs ${over}.`,
            fix: `Compute the signature over ${over}.`,
            signing: { over: "{body}" },
          },
        ]),
  ];
}

function secrets(
  { message: { secret }, secrets: others, sender: { name } }: RefusedEvent,
  { secret: form, prefix }: Signing,
): Variant[] {
  const bare = prefix !== "" && secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const isText = form === "text";
  const whole = `${name}'s key is the whole secret as text${prefix && `, ${prefix} included`}.`;
  const decoded = `${name}'s key is the base64 text${prefix && ` after ${prefix}`}, decoded.`;
  const fix = isText ? whole : decoded;
  return [
    ...others
      .filter((other) => other.secret !== secret)
      .map(({ secret: other, from }) => ({
        what: `signed with ${from}`,
        cause: `It verifies with ${from}, which is another secret.`,
        fix: "Give both sides the same secret.",
        signed: { secret: other },
        isOtherSecret: true as const,
      })),
    ...(isText
      ? [
          {
            what: "signed with the secret decoded from base64",
            cause: "It decodes the secret from base64.",
            ...{ fix, signing: { secret: "base64" as const } },
          },
        ]
      : [
          {
            what: "signed with the secret as text",
            cause: "It uses the secret as text and does not decode it from base64.",
            ...{ fix, signing: { secret: "text" as const } },
          },
        ]),
    ...(bare === undefined
      ? []
      : [
          {
            what: `signed with the text after ${prefix}`,
            cause: `It uses the text after ${prefix} as the key.`,
            ...{ fix, signed: { secret: bare }, signing: { secret: "text" as const } },
          },
        ]),
    {
      what: "signed with a line break after the secret",
      cause: "The secret that it verifies with ends in a line break.",
      fix: "Trim the secret where your server reads it.",
      signed: { secret: `${secret}\n` },
    },
  ];
}

function forms(signing: Signing, name: string): Variant[] {
  const { algorithm, encoding } = signing;
  const { name: header, value } = headerOf(signing);
  const other = encoding === "hex" ? "base64" : "hex";
  const isBare = value === "{signature}";
  const others = (["hmac-sha256", "hmac-sha1", "hmac-sha512"] as const).filter((one) => one !== algorithm);
  return [
    {
      what: `with the signature in ${other}`,
      cause: `It expects the signature in ${other}, but ${name} writes ${encoding}.`,
      fix: `Compare it with the digest in ${encoding}.`,
      signing: { encoding: other },
    },
    ...(isBare
      ? []
      : [
          {
            what: `with nothing but the signature in ${header}`,
            cause: `It compares all of ${header} with the signature, but ${name} writes ${value}.`,
            fix: "Extract the signature from the header first.",
            signing: { header: `${header}: {signature}` },
          },
        ]),
    ...others.map((one) => ({
      what: `signed with ${one.toUpperCase()}`,
      cause: `It computes ${one.toUpperCase()}, but ${name} signs with ${algorithm.toUpperCase()}.`,
      fix: `Compute ${algorithm.toUpperCase()}.`,
      signing: { algorithm: one },
    })),
  ];
}

/** The event with its own time (in its body or an unsigned header) set to the machine's. */
function eventTimes({ sender, message, atNow }: RefusedEvent, now: number): Variant[] {
  if (Math.abs(now - message.at) < LEAST_APART) return [];
  const body = sender.withTime(message.body, message.type, now);
  const seen: [where: string, changes: Pick<Variant, "body" | "signed">][] = [
    ["headers", { signed: { signedAt: now } }],
    ["body", { body }],
    ["headers and body", { body, signed: { signedAt: now } }],
  ];
  return seen.map(([where, changes]) => ({
    what: `with the machine's time in its ${where}`,
    cause: `It compares the time in the event's ${where} with the machine's clock.`,
    fix: `The events here have virtual times. ${atNow}`,
    ...{ ...changes, isOfEvent: true },
  }));
}

function signatureTimes(
  { sender: { name }, message: { at } }: RefusedEvent,
  { time: unit, clock, over, header }: Signing,
  now: number,
): Variant[] {
  if (!`${over} ${header}`.includes("{time}")) return [];
  const units = (["seconds", "milliseconds"] as const).filter((one) => one !== unit);
  const instants: [words: string, at: number][] = [
    ["now", now],
    ["the event's time", at],
  ];
  const own = clock === "real" ? now : at;
  return instants
    .filter(([, instant]) => instant === own || Math.abs(now - at) >= LEAST_APART)
    .flatMap(([words, instant]): Variant[] => [
      {
        what: `with ${words} as the time of its signature`,
        cause: `It accepts a signature only if its time is ${words}, but ${name} signs the time of sending.`,
        fix: "Compare the time of the signature with the machine's clock.",
        signed: { signedAt: instant },
      },
      ...units.map((other) => ({
        what: `with ${words} in ${other} as the time of its signature`,
        cause: `It reads the time of the signature as ${other}, but ${name} writes ${unit === "iso" ? "ISO 8601" : unit}.`,
        fix: "Convert it before you compare it with the machine's clock.",
        ...{ signed: { signedAt: instant }, signing: { time: other } },
      })),
    ]);
}

/** The signed URL as a server might see it behind a proxy, or might assemble it from parts. */
function addresses({ url }: Message): Variant[] {
  const { protocol, host, hostname, port, pathname, search } = new URL(url);
  const other = protocol === "https:" ? "http:" : "https:";
  const build = (scheme: string, at: string, query: string) => `${scheme}//${at}${pathname}${query}`;
  const seen: [words: string, address: string][] = [
    ["without its query", build(protocol, host, "")],
    ["without its port", build(protocol, hostname, search)],
    ["without port and query", build(protocol, hostname, "")],
    ["with its port", build(protocol, `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`, search)],
    ["with localhost", build(protocol, host.replace("127.0.0.1", "localhost"), search)],
    ["with 127.0.0.1", build(protocol, host.replace("localhost", "127.0.0.1"), search)],
    [`with ${other.slice(0, -1)}`, build(other, host, search)],
    [`with ${other.slice(0, -1)} and without its port`, build(other, hostname, search)],
    ["without scheme and host", pathname + search],
  ];
  return seen.map(([words, address]) => ({
    what: `signed with the address ${words}`,
    cause: `It verifies with the URL ${address}, but this endpoint's URL is ${url}.`,
    fix: "Verify with the URL that is registered with the sender, and read it from your configuration.",
    signed: { url: address },
  }));
}

/** The event with another sender's signature added. Senders that sign the same way share a variant. */
function strangers({ sender, others }: RefusedEvent): Variant[] {
  const alike = Map.groupBy(
    others.filter(({ name, signing }) => signing && name !== sender.name),
    ({ signing }) => JSON.stringify([headerOf(signing!), signing!.over, signing!.secret]),
  );
  return [...alike.values()].map((group) => {
    const names = group.map(({ name }) => name);
    const { signatureHeader } = group[0]!;
    return {
      what: `with ${signatureHeader} as well, as ${listed(names)} sends it`,
      cause: `It verifies ${signatureHeader}, so it is a handler for ${listed(names)}, not for ${sender.name}.`,
      fix: `Send it that sender's events: --sender ${names[0]}.`,
      as: group[0]!,
    };
  });
}
