import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "../subject/differences.ts";
import type { Place } from "./hosts.ts";

/** A call as the gateway received it, with its whole body. */
export interface ServiceCall {
  place: Place;
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What one call changes outside. It is compared as rows are. */
export interface Effect {
  /** The group of the state that has it: `effects.<service>`, such as `mail`, `resend` or `api.acme.io`. */
  service: string;
  /** Says what is done, such as `ada@example.com: Order ord_1`. Equal keys are the same thing done again. */
  key: string;
  /** The same in a sentence: `the mail to ada@example.com` is `sent` twice. */
  words: { thing: string; done: string };
  /** What is compared. Ids that the server draws and times are recognized, as in rows. */
  fields: Json;
  /** What the call carried as its idempotency key. Equal effects with one key are one. */
  idempotencyKey?: string | undefined;
  /** How the service recognizes a repeated call, as in `Resend takes an Idempotency-Key`; undefined if it does not. */
  takes?: string | undefined;
}

export interface ServiceAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** What the call has done; several if it sends several mails. */
  effects: readonly Effect[];
}

/** The services of which something is known: those that ship and the user's own. */
export interface Services {
  /** @returns undefined if nothing describes the call */
  answer(call: ServiceCall): Promise<ServiceAnswer | undefined>;
  /** What the service answers when it fails. @returns undefined if nothing describes the host */
  refuse(call: ServiceCall, status: 429 | 500): Promise<ServiceAnswer | undefined>;
  /** Forgets what calls wrote, as each run begins. */
  reset(): Promise<void>;
}
