import { createHash } from "node:crypto";
import { DAY, HOUR } from "../world/duration.ts";
import type { PaymentsContext } from "./context.ts";
import { invalidField, PlatformError } from "./errors.ts";
import { createSweep } from "./retention.ts";

/** How long responses are stored for replay, in virtual milliseconds. */
export const IDEMPOTENCY_RETENTION = DAY;
export const MAX_KEY_LENGTH = 256;
const HEADER = "Idempotency-Key";

export interface IdempotentRequest {
  org: string;
  key: string;
  method: string;
  /**
   * The path without its query: changes take no query parameters, and some clients add a different query to each call.
   */
  path: string;
  body: unknown;
}

export interface StoredAnswer {
  status: number;
  body: string;
}

/**
 * Stores the 2xx responses to requests with an Idempotency-Key and replays them for repeated requests. See
 * docs/fidelity.md, "API".
 */
export interface Idempotency {
  /** @throws PlatformError invalid_field_value if the key is empty or longer than 256 characters */
  checkKey(key: string): void;
  /**
   * Claims a key for a request. Always call `end` afterwards.
   * @returns the stored response to the same request, if there is one
   * @throws PlatformError idempotency_conflict if the key belongs to another request, or to one in progress
   */
  begin(request: IdempotentRequest): StoredAnswer | undefined;
  /** Releases the key. A 2xx response is stored for 24 hours of virtual time. */
  end(request: IdempotentRequest, answer: StoredAnswer | undefined): void;
}

export function createIdempotency({ world }: PaymentsContext): Idempotency {
  const { store, clock } = world;
  const read = store.sql<StoredAnswer & { fingerprint: string }>(
    "select fingerprint, status, body from idempotency_keys where org = ? and key = ? and created_at > ?",
  );
  const write = store.sql(
    "insert or replace into idempotency_keys (org, key, fingerprint, status, body, created_at) values (?, ?, ?, ?, ?, ?)",
  );
  const purge = store.sql("delete from idempotency_keys where created_at <= ?");
  const sweep = createSweep(world, HOUR, (now) => void purge.run(now - IDEMPOTENCY_RETENTION));
  const running = new Set<string>();

  const conflict = (message: string) => new PlatformError("idempotency_conflict", message, HEADER);

  return {
    checkKey(key) {
      if (key.length >= 1 && key.length <= MAX_KEY_LENGTH) return;
      throw invalidField(HEADER, `${HEADER} must have 1 to ${MAX_KEY_LENGTH} characters, not ${key.length}.`);
    },

    begin(request) {
      const slot = `${request.org}\n${request.key}`;
      if (running.has(slot))
        throw conflict("A request with this Idempotency-Key is still running. Retry once it has finished.");
      const stored = read.get(request.org, request.key, clock.now() - IDEMPOTENCY_RETENTION);
      if (!stored) {
        running.add(slot);
        return undefined;
      }
      if (stored.fingerprint === fingerprint(request)) return stored;
      throw conflict(
        "This Idempotency-Key was used with a different body, method or path in the last 24 hours. Use a new key for a new request.",
      );
    },

    end(request, answer) {
      running.delete(`${request.org}\n${request.key}`);
      if (!answer || answer.status < 200 || answer.status > 299) return;
      write.run(request.org, request.key, fingerprint(request), answer.status, answer.body, clock.now());
      sweep();
    },
  };
}

function fingerprint({ method, path, body }: IdempotentRequest): string {
  return createHash("sha256")
    .update(`${method} ${path}\n${canonical(body)}`)
    .digest("hex");
}

/** JSON with sorted keys, so equal bodies give the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
