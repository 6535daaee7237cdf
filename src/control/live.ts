import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { SandboxError } from "../errors/errors.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { ClockMessage } from "../world/clock-message.ts";
import type { JournalEntry } from "../world/journal.ts";
import { streamEvents } from "./event-stream.ts";
import { followClock } from "./live-clock.ts";
import { lastEventId, type Position, positionOf, readAfter, resumeAfter } from "./position.ts";

const REPLAY_PAGE = 1_000;

export interface LiveQuery {
  /** Replay entries after this one first; only new ones when absent. */
  after: Position | undefined;
  types: string[];
  /** Also send the state of the clock. */
  clock: boolean;
}

/** What `types` takes besides names of entries: a client that asks for nothing else follows the clock alone. */
const CLOCK = "clock";

/**
 * Reads the query of a WebSocket, which no route's schema checks.
 * @throws SandboxError `bad_request`
 */
export function readLiveQuery(sandbox: Sandbox, query: URLSearchParams): LiveQuery {
  return {
    after: readAfter(query.get("after") ?? undefined),
    types: readTypes(sandbox, query.get("types") ?? undefined),
    clock: query.get("clock") === "true",
  };
}

/**
 * Which entries are asked for; an empty list for all.
 * @throws SandboxError `bad_request` if no entry can have such a name
 */
export function readTypes(sandbox: Sandbox, types: string | undefined): string[] {
  const asked = (types ?? "")
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  sandbox.checkTypes(asked.filter((type) => type !== CLOCK));
  return asked;
}

/**
 * Sends the journal's entries, first those after `after`, then each as it is committed: none twice, none lost.
 * @returns the unsubscribe
 */
function follow(
  sandbox: Sandbox,
  { after, types }: LiveQuery,
  send: (entry: JournalEntry) => void,
): () => void {
  const { journal } = sandbox;
  const wanted = (type: string) =>
    types.length === 0 ||
    types.some((pattern) =>
      pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    );
  let last = after ? resumeAfter(journal, after) : journal.lastSeq();
  for (;;) {
    const page = journal.list({ after: last, types, limit: REPLAY_PAGE });
    for (const entry of page) send(entry);
    last = page.at(-1)?.seq ?? last;
    if (page.length < REPLAY_PAGE) break;
  }
  return journal.subscribe((entry) => {
    if (wanted(entry.type)) send(entry);
  });
}

/** A connection that follows a world. */
interface Follower {
  send: (message: JournalEntry | ClockMessage) => void;
  /** Closes it at once, as its world ends. */
  destroy: () => void;
}

/**
 * Follows the clock, if asked for, and the journal, until the world ends.
 * @returns the unsubscribe
 */
export function followAll(sandbox: Sandbox, query: LiveQuery, { send, destroy }: Follower): () => void {
  const stops = [
    ...(query.clock ? [followClock(sandbox, send)] : []),
    follow(sandbox, query, send),
    sandbox.onClose(() => {
      // A connection closes a moment later, and a world that ends has no clock to read.
      stop();
      destroy();
    }),
  ];
  const stop = () => {
    for (const one of stops) one();
  };
  return stop;
}

/** GET /live as server-sent events. */
export function streamJournal(
  sandbox: Sandbox,
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
  query: LiveQuery,
): FastifyReply {
  if (!/text\/event-stream/.test(headers.accept ?? "")) {
    throw new SandboxError(
      "bad_request",
      "GET /live is a WebSocket, or server-sent events.",
      "Connect with a WebSocket, or send the header accept: text/event-stream.",
    );
  }
  const after = lastEventId(headers) ?? query.after;
  return streamEvents(reply, ({ send, destroy }) =>
    followAll(
      sandbox,
      { ...query, after },
      { send: (message) => send(message, "seq" in message ? positionOf(message) : undefined), destroy },
    ),
  );
}
