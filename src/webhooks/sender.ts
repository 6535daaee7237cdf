import type { World } from "../world/world.ts";
import type { SenderPolicy } from "./policy.ts";
import {
  digest,
  headerOf,
  readTemplate,
  type Signing,
  signingTime,
  template,
  timeText,
  type Values,
} from "./signing.ts";

/** An event as it is stored. */
export interface StoredEvent {
  type: string;
  /** JSON: an object; or a text, which is the body as it is sent. */
  data: string;
  /** When it happened, virtual milliseconds. */
  created_at: number;
}

/** What the headers of an attempt are made from. */
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
  /** What the signature has for the time in place of its clock's, milliseconds. */
  signedAt?: number | undefined;
  /** Further secrets that sign beside it, as while one is replaced. */
  also?: readonly string[] | undefined;
}

/** A request as a subscriber got it. */
export interface ReceivedRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  url: string;
}

export type SignatureVerdict = "valid" | "invalid" | "missing";

/** A platform that sends webhooks: it makes a request of an event, and has a policy. The engine knows nothing else of it. */
export interface Sender {
  readonly name: string;
  /** The types of events that it can send. */
  readonly events: readonly string[];
  readonly policy: SenderPolicy;
  /** Whether each attempt has its own delivery id, or all attempts of an event share one. */
  readonly deliveryId: "attempt" | "event";
  /** The name of the header with the signature; null where nothing is signed. */
  readonly signatureHeader: string | null;
  /** The names of the headers that it may set. */
  readonly headerNames: readonly string[];
  /** Whether a signature depends on the machine's time: then a request that goes out later needs another one. */
  readonly signsRealTime: boolean;
  /** The body of an event's deliveries to an endpoint: the same bytes at every attempt. */
  body(event: StoredEvent, endpointId: string): string;
  headers(message: Message): Record<string, string>;
  /** What the headers of a request say: values by the places of the templates that made them. */
  read(headers: ReceivedRequest["headers"]): Values;
  /** The type of the event of a request; null where it names none. */
  typeOf(request: Pick<ReceivedRequest, "headers" | "body">): string | null;
  /** Whether a request's signature fits its body and a secret. */
  verify(request: ReceivedRequest, secret: string): SignatureVerdict;
  /** What a test delivery sends. */
  makeTest(world: World): { type: string; data: object | string };
  /** @throws SandboxError `bad_request` for a secret that no endpoint of it can have; the platform's can have any */
  checkSecret?(secret: string): void;
  /** A secret made of random bytes. */
  newSecret(bytes: Buffer): string;
}

/** What a body is: a form begins with a name. */
const contentType = (body: string): string =>
  /^[^\s"[{=&]+=/.test(body) ? "application/x-www-form-urlencoded" : "application/json";

/** How a sender makes its requests, in the words of its file. */
export interface RequestDescription {
  headers: Values;
  /** Headers of test deliveries alone. */
  testHeaders?: Values | undefined;
  signature: Signing;
}

/**
 * What a description says about making requests, and about checking them.
 * @param idOf the id that an event is sent with
 * @param typeOf the type that a request names; its headers have it without this
 * @param sign makes the signature, where no algorithm of the description does
 */
export function describedRequests(
  { headers, testHeaders = {}, signature }: RequestDescription,
  idOf: (request: Pick<Message, "body" | "eventId">) => string = ({ eventId }) => eventId,
  sign?: (values: Values, secret: string) => string,
  typeOf?: Sender["typeOf"],
): Pick<
  Sender,
  "signatureHeader" | "headerNames" | "signsRealTime" | "headers" | "read" | "verify" | "newSecret"
> {
  const { name, value } = headerOf(signature);
  const fillValue = template(value);
  const fillAlso = signature.also === undefined ? undefined : template(signature.also);
  const fillOver = template(signature.over);
  const makeSignature =
    sign ?? ((values: Values, secret: string) => digest(signature, fillOver(values), secret));
  const signed = sign !== undefined || signature.algorithm !== "none";
  const fills = Object.entries(headers).map(([header, text]) => [header, template(text)] as const);

  function read(sent: ReceivedRequest["headers"]): Record<string, string> {
    const received = new Map(Object.entries(sent).map(([header, text]) => [header.toLowerCase(), text]));
    const found = readTemplate(value, received.get(name.toLowerCase()) ?? "");
    for (const [header, text] of Object.entries(headers))
      Object.assign(found, readTemplate(text, received.get(header.toLowerCase()) ?? ""));
    return found;
  }

  return {
    signatureHeader: signed ? name : null,
    headerNames: [...(signed ? [name] : []), ...Object.keys(headers), ...Object.keys(testHeaders)],
    signsRealTime: sign !== undefined || signature.clock === "real",
    read,

    headers(message) {
      const { body, deliveryId: delivery, endpointId: endpoint, type, url, secret, at, test } = message;
      const { signedAt, also = [] } = message;
      const id = idOf(message);
      const time = signedAt === undefined ? signingTime(signature, at) : timeText(signature.time, signedAt);
      const values: Values = { body, delivery, endpoint, id, type, url, time };
      const made: Record<string, string> = { "Content-Type": contentType(body) };
      const withSignature = (key: string) => ({ ...values, signature: makeSignature(values, key) });
      if (signed)
        made[name] =
          fillValue(withSignature(secret)) + also.map((key) => fillAlso?.(withSignature(key)) ?? "").join("");
      for (const [header, fill] of fills) made[header] = fill(values);
      return test ? { ...made, ...testHeaders } : made;
    },

    verify({ headers: sent, body, url }, secret) {
      const header = Object.entries(sent).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
      if (header === undefined) return "missing";
      const found = read(sent);
      const type = found.type ?? typeOf?.({ headers: sent, body }) ?? "";
      const values = { ...found, type, id: found.id ?? idOf({ body, eventId: "" }), body, url };
      const own = { ...values, signature: makeSignature(values, secret) };
      const first = fillValue(own);
      const more = fillAlso !== undefined && (header.startsWith(first) || header.includes(fillAlso(own)));
      return header === first || more ? "valid" : "invalid";
    },

    newSecret: (bytes) => signature.prefix + bytes.toString(signature.secret === "base64" ? "base64" : "hex"),
  };
}
