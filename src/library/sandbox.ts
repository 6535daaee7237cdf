import type { Static } from "typebox";
import type * as records from "../operations/records.ts";
import type * as schemas from "../operations/worlds.ts";
import type { ApiFaults, ChainData, Game, Platform } from "./areas.ts";
import type { Clock } from "./clock.ts";
import type { EventsQuery, JournalEntry } from "./journal.ts";
import type { Payments } from "./payments.ts";
import type { Senders, SentEvent } from "./senders.ts";
import type { Inbox, Webhooks } from "./webhooks.ts";
import type { ClockMode } from "./words.ts";

/**
 * Everything a program can do to one world; the same for a sandbox in this process and for one over HTTP.
 * @example
 * await using sandbox: Sandbox = await createSandbox();
 * const { id } = await sandbox.webhooks.create(sandbox.inbox("shop").url);
 * await sandbox.payments.pay("coffee");
 * await sandbox.clock.advance("1h");
 * const { attempts } = await sandbox.webhooks.timeline(id);
 */
export interface Sandbox {
  /** The world's address, with `/w/{name}` for a world that has a prefix. */
  readonly url: string;
  /** The link that opens it from other machines; null if it is not shared, or runs elsewhere. */
  readonly shareLink: string | null;
  /** The socket through which an HTTP client of yours reaches a sandbox without a port; null for one with a port. */
  readonly socketPath: string | null;
  /** The name of the world. */
  readonly world: string;
  /** The seeded API keys. */
  readonly keys: ApiKeys;
  readonly organization: { id: string; name: string };
  readonly platform: Platform;
  readonly data: ChainData;
  readonly game: Game;
  readonly clock: Clock;
  readonly payments: Payments;
  readonly webhooks: Webhooks;
  readonly faults: ApiFaults;
  readonly senders: Senders;
  /**
   * Sends an event of the sender in use that has it, to its endpoints, and waits for the first attempts.
   * @param data merged over the example body of the type
   * @param options `sender`, whose event it is where several senders in use have the type
   */
  send(type: string, data?: object, options?: { sender?: string }): Promise<SentEvent>;
  /** A built-in subscriber. Any name will do. */
  inbox(name: string): Inbox;
  /** E-mails that the platform would have sent, oldest first. */
  mail(): Promise<Mail[]>;
  /** The journal: everything that happened, in order. */
  events(query?: EventsQuery): Promise<JournalEntry[]>;
  /** Saves the whole world. By default, a name is generated. */
  snapshot(name?: string): Promise<Snapshot>;
  /** Restores the world from a snapshot, or from the name of one. `undo()` brings back what it replaced. */
  restore(snapshot: Snapshot | string): Promise<void>;
  /** Resets the world to its fixtures, or to those of another seed. `undo()` brings back what it replaced. */
  reset(seed?: string): Promise<void>;
  /** Brings back the world that the last `reset()`, `restore()` or `undo()` replaced. */
  undo(): Promise<void>;
  /** A new world beside this one, on the same server. */
  open(options?: WorldOptions): Promise<Sandbox>;
  /** A new world that starts as a copy of this one. */
  fork(name?: string): Promise<Sandbox>;
  /** Ends the world, or the whole sandbox if this is the one that was created. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * An earlier name of `Sandbox`.
 * @deprecated Import `Sandbox`.
 * @example
 * const sandbox: RemoteSandbox = await createSandbox();
 */
export type RemoteSandbox = Sandbox;

/**
 * The seeded API keys, by purpose.
 * @example
 * const { write }: ApiKeys = sandbox.keys;
 */
export interface ApiKeys {
  readonly write: string;
  readonly read: string;
  readonly expired: string;
  readonly revoked: string;
  /** A write key of another organization. */
  readonly other: string;
}

/**
 * A world to open. Everything has a default: the server's seed, start and clock.
 * @example
 * const options: WorldOptions = { name: "checkout", startAt: "2027-01-01T00:00:00Z" };
 */
export interface WorldOptions {
  /** By default, a name is generated. */
  name?: string | undefined;
  /** Fixtures to start with. */
  seed?: string | undefined;
  /** Virtual time to start at: ISO 8601, or milliseconds since the epoch. */
  startAt?: string | number;
  /**
   * The name of a world or a snapshot to copy; or a source in the folder where Sandglass was started: a folder of fixtures, a
   * scenario (the world where it ends), or a snapshot file.
   */
  from?: string | undefined;
  clock?: { mode?: ClockMode | undefined; rate?: number | undefined } | undefined;
}

/**
 * A whole world as it was at an instant: data, clock, timers, randomness and faults.
 * @example
 * const before: Snapshot = await sandbox.snapshot("before");
 * await sandbox.restore(before);
 */
export type Snapshot = Static<typeof schemas.Snapshot>;

/**
 * An e-mail that the platform would have sent.
 * @example
 * const notices = (await sandbox.mail()).filter((mail: Mail) => mail.webhook_id !== null);
 */
export type Mail = Static<typeof records.Mail>;
