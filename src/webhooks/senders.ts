import { closest } from "../errors/closest.ts";
import { misuse, notFound } from "../errors/errors.ts";
import type { Caller } from "../http/caller.ts";
import type { Store } from "../world/store.ts";
import { type FileSender, fileSender } from "./described.ts";
import type { WebhookRow } from "./rows.ts";
import type { Sender } from "./sender.ts";

/** A dated e-mail to an endpoint's owner. */
export interface Notice {
  subject: string;
  at: number;
}

export type EndpointAction = "webhook.created" | "webhook.updated" | "webhook.deleted";

/** A sender that has joined the engine. An area may add hooks; senders loaded from files have none. */
export interface JoinedSender {
  readonly sender: Sender;
  /** The configured secret for the sender's new endpoints. */
  readonly secret: string | undefined;
  /**
   * Records a caller's action on one of its endpoints, in the same transaction. @param status the status of the
   * response to the caller
   */
  noteAction?(caller: Caller, action: EndpointAction, id: string, status: number): void;
  /** Called when the policy disabled an endpoint. @param error why its last attempt failed */
  notifyDisabled?(row: WebhookRow, failures: number, error: string | null): void;
  /** The e-mails about an endpoint, for its timeline. */
  noticesOf?(webhookId: string): readonly Notice[];
}

/**
 * A world's senders: those of areas, and those loaded from files. A world stores the file's facts with its endpoints, so
 * that a snapshot works anywhere. See docs/senders.md.
 */
export interface Senders {
  /** Adds an area's sender, before any of its endpoints is used. */
  join(sender: JoinedSender): void;
  ofAreas(): readonly JoinedSender[];
  /** @throws SandboxError `not_found` */
  joined(name: string): JoinedSender;
  /** @throws SandboxError `not_found` */
  of(name: string): Sender;
  /** @throws SandboxError `not_found`, including for an area's sender */
  file(name: string): FileSender;
  /** The names of senders loaded from files. */
  names(): string[];
  /** Stores the facts of a sender that gets an endpoint. */
  keep(sender: FileSender): void;
}

/**
 * @param loaded the process's senders; they override those stored in the world, unless the stored ones contain known
 * values
 * @param secret for new endpoints of senders loaded from files, if configured
 */
export function createSenders(
  store: Store,
  loaded: readonly FileSender[],
  secret: string | undefined,
): Senders {
  const areas: JoinedSender[] = [];
  const read = store.sql<{ description: string }>("select description from webhook_senders where name = ?");
  const all = store.sql<{ name: string }>("select name from webhook_senders order by name");
  const write = store.sql("insert or replace into webhook_senders (name, description) values (?, ?)");
  const knows = store.remember(
    (name: string): boolean => JSON.parse(read.get(name)?.description ?? "{}").known !== undefined,
  );
  const stored = store.remember((name: string): FileSender => {
    const row = read.get(name);
    const { signedBy, ...facts } = row ? JSON.parse(row.description) : { signedBy: "nothing" };
    if (signedBy === undefined) return fileSender(facts);
    throw notFound(
      row ? `The sender ${name} signs with code, which worlds do not store.` : `There is no sender ${name}.`,
      `Start the sandbox with its file: npx sandglass --sender ./senders/${name}.ts`,
    );
  });
  function find(name: string): FileSender {
    const own = loaded.find((one) => one.name === name);
    return own && !knows.get(name) ? own : stored.get(name);
  }

  const ofArea = (name: string) => areas.find(({ sender }) => sender.name === name);

  return {
    join: (sender) => void areas.push(sender),
    ofAreas: () => areas,
    joined: (name) => ofArea(name) ?? { sender: find(name), secret },
    of: (name) => ofArea(name)?.sender ?? find(name),
    file: find,
    names: () => [...new Set([...loaded, ...all.all()].map(({ name }) => name))],

    keep({ name, facts, signsItself }) {
      write.run(name, JSON.stringify({ ...facts, ...(signsItself && { signedBy: "module" }) }));
      stored.clear();
      knows.clear();
    },
  };
}

/** @throws SandboxError `bad_request` for a type that the sender does not have */
export function checkType(type: string, { name, events }: Pick<FileSender, "name" | "events">): void {
  if (events.includes(type)) return;
  const meant = closest(type, events);
  throw misuse(
    `${name}'s sender file has no event ${type.slice(0, 100)}.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Its events: ${events.join(", ")}. To add a type, edit the copy of the file that npx sandglass init --sender ${name} writes; npx sandglass capture stores what ${name} sends.`,
  );
}
