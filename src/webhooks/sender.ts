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

export interface StoredEvent {
  type: string;
  /** JSON text: an object, or a string that is the body as sent. */
  data: string;
  /** When the event happened, in virtual milliseconds. */
  created_at: number;
}

/** The input from which an attempt's headers are built. */
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
  /** The time to sign with in milliseconds, if it is not the clock's. */
  signedAt?: number | undefined;
  /** Additional signing secrets, as during a secret rotation. */
  also?: readonly string[] | undefined;
}

export interface ReceivedRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  url: string;
}

export type SignatureVerdict = "valid" | "invalid" | "missing";

/**
 * A platform that sends webhooks: it turns events into requests and has a policy. This is all the engine knows about it.
 */
export interface Sender {
  readonly name: string;
  /** The event types that the sender can send. */
  readonly events: readonly string[];
  readonly policy: SenderPolicy;
  /** Whether each attempt has its own delivery id, or all attempts of an event share one. */
  readonly deliveryId: "attempt" | "event";
  /** The header with the signature; null if nothing is signed. */
  readonly signatureHeader: string | null;
  /** Additional headers that sign the body with an older algorithm. */
  readonly oldSignatureHeaders: readonly string[];
  /** The headers that the sender may set. */
  readonly headerNames: readonly string[];
  /** Whether signatures depend on the machine's time. If so, a request that is sent later must be signed again. */
  readonly signsRealTime: boolean;
  /** How the sender signs; undefined if nothing is signed, or if code in its file signs. */
  readonly signing: Signing | undefined;
  /** Whether code in the sender's file signs. */
  readonly signsItself: boolean;
  /** The server's URL for an event type, derived from its main URL, which is the default. */
  addressOf?(type: string, url: string): string;
  /** The body that an endpoint receives for an event: the same bytes at every attempt. */
  body(event: StoredEvent, endpointId: string): string;
  /** The key with which the server verifies, such as the secret's public key; by default, the secret. */
  verifyingKey?(secret: string): string;
  /** Which of an address's secrets signs a body: connected accounts' events have their own. */
  secretFor(secret: string, body: string): string;
  /**
   * Inserts the signature into a body, for a sender that signs there.
   * @param as the text to sign instead of the body, and what replaces the signature
   */
  signBody?(
    body: string,
    secret: string,
    as?: { signed?: string | undefined; replace?: ((right: string) => string) | undefined },
  ): string;
  /** @param otherwise differences from its usual way of signing, as a mistaken verifier would expect */
  headers(message: Message, otherwise?: Partial<Signing>): Record<string, string>;
  /** The event's body with another time, in milliseconds; unchanged if it contains none. */
  withTime(body: string, type: string, at: number): string;
  /** Parses a request's headers by the templates that produced them, and returns the placeholders' values. */
  read(headers: ReceivedRequest["headers"]): Values;
  /** The event type of a request; null if the request does not specify it. */
  typeOf(request: Pick<ReceivedRequest, "headers" | "body">): string | null;
  versionOf?(body: string): string | undefined;
  verify(request: ReceivedRequest, secret: string): SignatureVerdict;
  /** Makes a test delivery's event. */
  makeTest(world: World): { type: string; data: object | string };
  /** @throws SandboxError `bad_request` for a secret that its endpoints cannot have; the platform accepts any */
  checkSecret?(secret: string): void;
  /** Makes a secret from random bytes. */
  newSecret(bytes: Buffer): string;
}

/** The content type of a body; a body that starts with a name is a form. */
const contentType = (body: string): string =>
  /^[^\s"[{=&]+=/.test(body) ? "application/x-www-form-urlencoded" : "application/json";

/** How a sender builds its requests, in the format of its file. */
export interface RequestDescription {
  headers: Values;
  /** Headers of test deliveries only. */
  testHeaders?: Values | undefined;
  signature: Signing;
  /** Where the body of a connected account's event names the account. */
  account?: string | undefined;
}

/**
 * The functions that build and verify requests as described.
 * @param idOf the id that an event is sent with
 * @param typeOf the event type of a request; by default, it is read from the headers
 * @param sign makes the signature if no algorithm of the description applies
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
      // Such a token has a different signature each time.
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
