import type { World } from "../world/world.ts";
import { replaceAt } from "./body-text.ts";
import { valueAt } from "./example.ts";
import type { SenderPolicy } from "./policy.ts";
import { secretsIn } from "./secret.ts";
import {
  digest,
  hashOf,
  headerOf,
  isToken,
  parametersOf,
  readTemplate,
  type Signing,
  signingTime,
  template,
  timeText,
  type Values,
} from "./signing.ts";

/** A stored event. */
export interface StoredEvent {
  type: string;
  /** JSON text: an object; or a string, which is the body as it is sent. */
  data: string;
  /** When it happened, in virtual milliseconds. */
  created_at: number;
}

/** The parts of an attempt from which its headers are made. */
export interface Message {
  eventId: string;
  type: string;
  body: string;
  endpointId: string;
  deliveryId: string;
  url: string;
  secret: string;
  /** Virtual milliseconds. */
  at: number;
  test: boolean;
  /** The signature's time in milliseconds, if it is not the clock's. */
  signedAt?: number | undefined;
  /** Further secrets that also sign, as while a secret is replaced. */
  also?: readonly string[] | undefined;
}

/** A request as a subscriber received it. */
export interface ReceivedRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  url: string;
}

export type SignatureVerdict = "valid" | "invalid" | "missing";

/** A platform that sends webhooks: it turns events into requests, and has a policy. The engine knows nothing else about it. */
export interface Sender {
  readonly name: string;
  /** The types of events that it can send. */
  readonly events: readonly string[];
  readonly policy: SenderPolicy;
  /** Whether each attempt has its own delivery id, or all attempts of an event share one. */
  readonly deliveryId: "attempt" | "event";
  /** The name of the header with the signature; null if nothing is signed. */
  readonly signatureHeader: string | null;
  /** The names of further headers that sign the body, by an older algorithm. */
  readonly oldSignatureHeaders: readonly string[];
  /** The names of the headers that it may set. */
  readonly headerNames: readonly string[];
  /** Whether signatures depend on the machine's time. If so, a request that is sent later needs a new signature. */
  readonly signsRealTime: boolean;
  /** How it signs; undefined if nothing is signed, or if code in its file signs. */
  readonly signing: Signing | undefined;
  /** Whether code in its file signs. */
  readonly signsItself: boolean;
  /** The URL that takes a type of events, of a server whose main URL is given; by default the main URL. */
  addressOf?(type: string, url: string): string;
  /** The body of an event's deliveries to an endpoint: the same bytes at every attempt. */
  body(event: StoredEvent, endpointId: string): string;
  /** The text with which a server verifies, such as the public key of a secret; by default the secret. */
  verifyingKey?(secret: string): string;
  /** The secret that signs a body, of those of one address: events of connected accounts have another. */
  secretFor(secret: string, body: string): string;
  /**
   * A body with its signature in it, for a sender that signs there.
   * @param as the text that is signed in place of the body, and what replaces the signature
   */
  signBody?(
    body: string,
    secret: string,
    as?: { signed?: string | undefined; replace?: ((right: string) => string) | undefined },
  ): string;
  /** @param otherwise differences from its own way to sign: what a mistaken verifier expects */
  headers(message: Message, otherwise?: Partial<Signing>): Record<string, string>;
  /** The body of an event with another time, in milliseconds; the same body if it has no time. */
  withTime(body: string, type: string, at: number): string;
  /** Reads the values in the headers of a request, by the placeholders of the templates that made them. */
  read(headers: ReceivedRequest["headers"]): Values;
  /** The event type of a request; null if the request names none. */
  typeOf(request: Pick<ReceivedRequest, "headers" | "body">): string | null;
  /** The version of the sender's API that a body names. */
  versionOf?(body: string): string | undefined;
  /** Whether a request's signature fits its body and a secret. */
  verify(request: ReceivedRequest, secret: string): SignatureVerdict;
  /** Makes the event of a test delivery. */
  makeTest(world: World): { type: string; data: object | string };
  /** @throws SandboxError `bad_request` for a secret that none of its endpoints can have; the platform accepts any */
  checkSecret?(secret: string): void;
  /** Makes a secret from random bytes. */
  newSecret(bytes: Buffer): string;
}

/** The content type of a body: a form begins with a name. */
const contentType = (body: string): string =>
  /^[^\s"[{=&]+=/.test(body) ? "application/x-www-form-urlencoded" : "application/json";

/** How a sender makes its requests, in the form of its file. */
export interface RequestDescription {
  headers: Values;
  /** Headers of test deliveries only. */
  testHeaders?: Values | undefined;
  signature: Signing;
  /** Where the body of an event of a connected account names that account. */
  account?: string | undefined;
}

/**
 * The functions that make and check requests as described.
 * @param idOf the id that an event is sent with
 * @param typeOf the type that a request names; by default, its headers name the type
 * @param sign makes the signature, if no algorithm of the description does
 */
export function describedRequests(
  { headers, testHeaders = {}, signature, account }: RequestDescription,
  idOf: (request: Pick<Message, "body" | "eventId">) => string = ({ eventId }) => eventId,
  sign?: (values: Values, secret: string) => string,
  typeOf?: Sender["typeOf"],
): Pick<
  Sender,
  | "signatureHeader"
  | "oldSignatureHeaders"
  | "headerNames"
  | "signsRealTime"
  | "signsItself"
  | "signing"
  | "secretFor"
  | "signBody"
  | "headers"
  | "read"
  | "verify"
  | "newSecret"
> {
  const { name, value } = headerOf(signature);
  const fillValue = template(value);
  const fillAlso = signature.also === undefined ? undefined : template(signature.also);
  const fillOver = template(signature.over);
  const { place } = signature;
  const inOver = [...signature.over.matchAll(/\{(parameters|sha256|body\.[^{}]+)\}/g)].map(
    ([, name]) => name!,
  );
  const fromBody = (name: string, body: string): string =>
    name === "parameters"
      ? parametersOf(body)
      : name === "sha256"
        ? hashOf(body)
        : (valueAt(name, {}, body) ?? "");
  const signedText = (values: Values): string =>
    fillOver({
      ...values,
      ...Object.fromEntries(inOver.map((name) => [name, fromBody(name, values.body ?? "")])),
    });
  const makeSignature =
    sign ?? ((values: Values, secret: string) => digest(signature, signedText(values), secret));
  const signed = place === undefined && (sign !== undefined || signature.algorithm !== "none");
  const old = Object.keys(headers).filter((header) => headers[header]!.includes("{sha1}"));
  const fills = Object.entries(headers).map(([header, text]) => [header, template(text)] as const);

  function secretFor(secret: string, body: string): string {
    const [own, connected] = account === undefined ? [secret] : secretsIn(secret);
    return connected !== undefined && valueAt(account, {}, body) !== undefined ? connected : own!;
  }

  function read(sent: ReceivedRequest["headers"]): Record<string, string> {
    const received = new Map(Object.entries(sent).map(([header, text]) => [header.toLowerCase(), text]));
    const found = readTemplate(value, received.get(name.toLowerCase()) ?? "");
    for (const [header, text] of Object.entries(headers))
      Object.assign(found, readTemplate(text, received.get(header.toLowerCase()) ?? ""));
    return found;
  }

  return {
    signatureHeader: signed ? name : null,
    oldSignatureHeaders: old,
    headerNames: [...(signed ? [name] : []), ...Object.keys(headers), ...Object.keys(testHeaders)],
    signsRealTime: place === undefined && (sign !== undefined || signature.clock === "real"),
    signsItself: sign !== undefined,
    signing: sign === undefined && signed ? signature : undefined,
    ...{ read, secretFor },
    ...(place !== undefined && {
      signBody: (body: string, secret: string, { signed = body, replace = (right: string) => right } = {}) =>
        replaceAt(body, place, replace(makeSignature({ body: signed }, secret))),
    }),

    headers(message, otherwise) {
      if (otherwise !== undefined) {
        const description = { headers, testHeaders, account, signature: { ...signature, ...otherwise } };
        return describedRequests(description, idOf, sign, typeOf).headers(message);
      }
      const { body, deliveryId: delivery, endpointId: endpoint, type, url, secret, at, test } = message;
      const { signedAt, also = [] } = message;
      const id = idOf(message);
      const time = signedAt === undefined ? signingTime(signature, at) : timeText(signature.time, signedAt);
      const values: Record<string, string> = { body, delivery, endpoint, id, type, url, time };
      const made: Record<string, string> = { "Content-Type": contentType(body) };
      const withSignature = (secrets: string) => ({
        ...values,
        signature: makeSignature(values, secretFor(secrets, body)),
      });
      if (signed)
        made[name] =
          fillValue(withSignature(secret)) + also.map((key) => fillAlso?.(withSignature(key)) ?? "").join("");
      if (old.length > 0)
        values.sha1 = digest(
          { ...signature, algorithm: "hmac-sha1", encoding: "hex" },
          body,
          secretFor(secret, body),
        );
      for (const [header, fill] of fills) made[header] = fill(values);
      return test ? { ...made, ...testHeaders } : made;
    },

    verify({ headers: sent, body, url }, secret) {
      if (place !== undefined) {
        const present = valueAt(place, {}, body);
        if (present === undefined || present === "") return "missing";
        return present === makeSignature({ body }, secret) ? "valid" : "invalid";
      }
      const header = Object.entries(sent).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
      if (header === undefined) return "missing";
      const found = read(sent);
      const type = found.type ?? typeOf?.({ headers: sent, body }) ?? "";
      const values = { ...found, type, id: found.id ?? idOf({ body, eventId: "" }), body, url };
      // Each signature of such a token is another one.
      if (signature.algorithm === "jwt-es256" && sign === undefined)
        return isToken(signature, found.signature ?? "", (time) => signedText({ ...values, time }))
          ? "valid"
          : "invalid";
      const own = { ...values, signature: makeSignature(values, secretFor(secret, body)) };
      const first = fillValue(own);
      const more = fillAlso !== undefined && (header.startsWith(first) || header.includes(fillAlso(own)));
      return header === first || more ? "valid" : "invalid";
    },

    newSecret: (bytes) => signature.prefix + bytes.toString(signature.secret === "base64" ? "base64" : "hex"),
  };
}
