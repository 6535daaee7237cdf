import { closest } from "../errors/closest.ts";
import { misuse, notFound } from "../errors/errors.ts";
import type { Store } from "../world/store.ts";
import { type FileSender, fileSender } from "./described.ts";
import type { Sender } from "./sender.ts";

/**
 * The senders of a world: the area's own, and those of files. A world stores the files' facts with its endpoints, so that a
 * snapshot can continue anywhere. See docs/senders.md.
 */
export interface Senders {
  /** @throws SandboxError `not_found` */
  of(name: string): Sender;
  /** @throws SandboxError `not_found`, including for the area's own sender */
  file(name: string): FileSender;
  /** The names of the senders of files. */
  names(): string[];
  /** Stores the facts of a sender that gets an endpoint. */
  keep(sender: FileSender): void;
}

/** @param loaded senders of the process; they win over those that the world stores, unless the world's know more */
export function createSenders(store: Store, main: Sender, loaded: readonly FileSender[]): Senders {
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
      row
        ? `The sender ${name} signs with code, which a world does not store.`
        : `There is no sender ${name}.`,
      `Start the sandbox with its file: npx sandglass --sender ./senders/${name}.ts`,
    );
  });
  function find(name: string): FileSender {
    const own = loaded.find((one) => one.name === name);
    return own && !knows.get(name) ? own : stored.get(name);
  }

  return {
    of: (name) => (name === main.name ? main : find(name)),
    file: find,
    names: () => [...new Set([...loaded, ...all.all()].map(({ name }) => name))],

    keep({ name, facts, signsItself }) {
      write.run(name, JSON.stringify({ ...facts, ...(signsItself && { signedBy: "module" }) }));
      stored.clear();
      knows.clear();
    },
  };
}

/** @throws SandboxError `bad_request` for a type that a sender does not have */
export function checkType(type: string, { name, events }: Pick<FileSender, "name" | "events">): void {
  if (events.includes(type)) return;
  const meant = closest(type, events);
  throw misuse(
    `${name}'s sender file has no event ${type.slice(0, 100)}.`,
    `${meant ? `Did you mean ${meant}? ` : ""}It has ${events.join(", ")}. To add a type, edit the copy of the file that npx sandglass init --sender ${name} writes; npx sandglass capture stores what ${name} sends.`,
  );
}
