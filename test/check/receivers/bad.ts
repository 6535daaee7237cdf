import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** Handlers with one bug each, of the kinds that occur in practice. */

/** How a handler processes a request. A bug replaces one part of a correct handler. */
interface Receiver {
  secret: string;
  method: (method: string) => boolean;
  maxBytes: number;
  /** Whether it always responds with 200. */
  yes: boolean;
  /** Whether it counts an event before verifying it. */
  early: boolean;
  read: (request: IncomingMessage) => Promise<Buffer>;
  signatureOf: (request: IncomingMessage) => string | undefined;
  isSigned: (body: Buffer, signature: string | undefined) => boolean;
  /** Whether it has not seen the event before. If so, records it. */
  isNew: (event: Event, request: IncomingMessage) => boolean | Promise<boolean>;
  /** Throws for events that it does not accept. */
  handle: (event: Event) => void;
  answer: (response: ServerResponse, status: number) => void;
}

interface Event {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: handlers written in JavaScript access it freely
  data: any;
}

type Bug = (secret: string) => Partial<Receiver>;

const hmac = (body: string | Buffer, secret: string) =>
  createHmac("sha256", secret).update(body).digest("hex");

function isSigned(body: Buffer, signature: string | undefined, secret: string): boolean {
  if (signature === undefined || !/^[0-9a-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(hmac(body, secret)));
}

const keyOf = ({ event, data }: Event) => `${event} ${data.id}`;

function note(seen: Set<unknown>, key: unknown): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** Changes the text of a body before verifying it. */
const verifiesChanged = (secret: string, change: (text: string) => string): Partial<Receiver> => ({
  isSigned: (body, signature) => isSigned(Buffer.from(change(body.toString())), signature, secret),
});

export const BUGS: Record<string, Bug> = {
  "no bug": () => ({}),

  "verifies nothing": () => ({ isSigned: () => true }),

  "requires a signature but does not verify it": () => ({
    isSigned: (_body, signature) => signature !== undefined,
  }),

  "verifies the re-serialized body": (secret) => ({
    isSigned: (body, signature) => {
      if (body.length === 0) return false;
      return isSigned(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), signature, secret);
    },
  }),

  "reads the body as Latin-1 to verify it": (secret) => ({
    isSigned: (body, signature) => isSigned(Buffer.from(body.toString("latin1")), signature, secret),
  }),

  "compares only the beginning of the signature": (secret) => ({
    isSigned: (body, signature = "") => signature !== "" && hmac(body, secret).startsWith(signature),
  }),

  "compares buffers of any length": (secret) => ({
    isSigned: (body, signature = "") =>
      timingSafeEqual(Buffer.from(hmac(body, secret), "hex"), Buffer.from(signature, "hex")),
  }),

  "verifies only if there is a signature": (secret) => ({
    isSigned: (body, signature) => !signature || isSigned(body, signature, secret),
  }),

  "identifies an event by its delivery id": () => {
    const seen = new Set<unknown>();
    return { isNew: (_event, request) => note(seen, request.headers["x-platform-delivery-id"]) };
  },

  "handles duplicates again": () => ({ isNew: () => true }),

  "checks for an event first and records it later": () => {
    const seen = new Set<unknown>();
    return {
      isNew: async (event) => {
        const known = seen.has(keyOf(event));
        await new Promise((resolve) => setTimeout(resolve, 100));
        seen.add(keyOf(event));
        return !known;
      },
    };
  },

  "refuses duplicates": () => {
    const seen = new Set<string>();
    return {
      handle: ({ event, data }) => {
        if (seen.has(event + data.id)) throw new Error("Handled already");
        seen.add(event + data.id);
      },
    };
  },

  "rejects unknown event types": () => ({
    handle: ({ event }) => {
      if (!/^payment\.(?:completed|failed)$/.test(event)) throw new Error(`Unknown event ${event}`);
    },
  }),

  "returns 200 for everything, and ignores unsigned requests": () => ({ yes: true }),

  "does the work before it verifies": () => ({ early: true }),

  "refuses unknown fields": () => ({
    handle: (event) => {
      if (Object.keys(event).length > 4) throw new Error("Unknown fields");
    },
  }),

  "requires a customer": () => ({
    handle: ({ data }) => void data.checkoutSession?.customerEmail.toLowerCase(),
  }),

  "refuses events older than five minutes": () => {
    let newest = 0;
    return {
      handle: (event) => {
        const at = Date.parse((event as Event & { timestamp: string }).timestamp);
        newest = Math.max(newest, at);
        if (at < newest - 5 * 60_000) throw new Error("Too old");
      },
    };
  },

  "joins the chunks of a body as text": () => ({
    read: async (request) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      return Buffer.from(text);
    },
  }),

  "looks up headers with the sender's capitalization": () => ({
    signatureOf: ({ rawHeaders }) => rawHeaders[rawHeaders.indexOf("X-Platform-Signature") + 1],
  }),

  "turns CRLF into LF": (secret) => verifiesChanged(secret, (text) => text.replaceAll("\r\n", "\n")),

  "normalizes text": (secret) => verifiesChanged(secret, (text) => text.normalize("NFC")),

  "drops line separators": (secret) => verifiesChanged(secret, (text) => text.replaceAll("\u2028", "")),

  "stores text like Postgres": () => ({
    handle: (event) => {
      if (JSON.stringify(event).includes("\\u0000")) throw new Error("unsupported Unicode escape sequence");
    },
  }),

  "also accepts GET": () => ({ method: () => true }),

  "accepts at most 100 kB": () => ({ maxBytes: 100_000 }),

  redirects: () => ({
    answer: (response) => void response.writeHead(308, { location: "/webhooks/" }).end(),
  }),

  "never responds": () => ({ answer: () => undefined }),

  "returns 404": () => ({ answer: (response) => void response.writeHead(404).end() }),

  "has a different secret": () => ({
    isSigned: (body, signature) => isSigned(body, signature, "whsec_other"),
  }),
};

/** A handler with one bug. Its state is the number of events that it has handled. */
export function badReceiver(bug: Bug, secret: string): RequestListener {
  const seen = new Set<unknown>();
  const receiver: Receiver = {
    secret,
    method: (method) => method === "POST",
    maxBytes: 2_000_000,
    yes: false,
    early: false,
    read: async (request) => Buffer.concat(await request.toArray()),
    signatureOf: ({ headers }) => headers["x-platform-signature"] as string | undefined,
    isSigned: (body, signature) => isSigned(body, signature, secret),
    isNew: (event) => note(seen, keyOf(event)),
    handle: () => undefined,
    answer: (response, status) => void response.writeHead(status).end(),
    ...bug(secret),
  };
  let handled = 0;

  async function take(request: IncomingMessage): Promise<number> {
    if (!receiver.method(request.method!)) return 405;
    if (request.method === "GET") return 200;
    const body = await receiver.read(request);
    if (body.length > receiver.maxBytes) return 413;
    if (receiver.early) handled += 1;
    if (!receiver.isSigned(body, receiver.signatureOf(request))) return 401;
    const event = readEvent(body);
    if (event === undefined) return 400;
    if (request.headers["x-platform-test"] === "true") return 204;
    receiver.handle(event);
    if (await receiver.isNew(event, request)) handled += 1;
    return 204;
  }

  return async (request, response) => {
    if (request.url === "/state") response.end(JSON.stringify({ handled }));
    else {
      const status = await take(request).catch(() => 500);
      receiver.answer(response, receiver.yes ? 200 : status);
    }
  };
}

function readEvent(body: Buffer): Event | undefined {
  try {
    const event = JSON.parse(body.toString()) as Event | null;
    return event?.data?.id === undefined ? undefined : event;
  } catch {
    return undefined;
  }
}

const forged = [
  "wrong-signature",
  "missing-signature",
  "truncated-signature",
  "malformed-signature",
  "changed-body",
];
export const repeats = ["duplicate", "duplicate-at-once", "late-retry"];
/** For each bug, all hazards that reveal it. No other hazard fails. */
export const SHOWN_BY: Record<string, string[]> = {
  "no bug": [],
  "verifies nothing": forged,
  "requires a signature but does not verify it": forged.filter((name) => name !== "missing-signature"),
  "verifies the re-serialized body": ["changed-body", "other-formatting", "crlf"],
  "reads the body as Latin-1 to verify it": [
    "unicode",
    "split-character",
    "decomposed-text",
    "line-separator",
  ],
  "joins the chunks of a body as text": ["split-character"],
  "looks up headers with the sender's capitalization": ["lower-case-headers"],
  "turns CRLF into LF": ["crlf"],
  "normalizes text": ["decomposed-text"],
  "drops line separators": ["line-separator"],
  "stores text like Postgres": ["null-character"],
  "compares only the beginning of the signature": ["truncated-signature"],
  "compares buffers of any length": ["missing-signature", "truncated-signature", "malformed-signature"],
  "verifies only if there is a signature": ["missing-signature", "truncated-signature"],
  "refuses duplicates": repeats,
  "rejects unknown event types": ["other-events", "unknown-event"],
  "refuses unknown fields": ["extra-fields"],
  "requires a customer": ["bare-event"],
  "refuses events older than five minutes": ["old-event"],
  "also accepts GET": ["get-request"],
  "accepts at most 100 kB": ["large-body"],
  "returns 200 for everything, and ignores unsigned requests": [...forged, "get-request"],
};
