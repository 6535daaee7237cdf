import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import type { Static } from "typebox";
import { misuse } from "../errors/errors.ts";
import type * as schemas from "../operations/records.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { REPLACEMENTS } from "../timeline/entries.ts";
import { afterPendingIo, wallTimer } from "../world/clock.ts";
import { isOf } from "../world/journal.ts";
import { streamEvents } from "./event-stream.ts";
import type { Follower } from "./pace.ts";
import {
  lastEventId,
  noteOfRemoved,
  type Position,
  positionOf,
  readAfter,
  readTypes,
  resumeAfter,
} from "./position.ts";

/** How many entries are read at once for a follower that is behind. Only these entries are held in memory. */
const PAGE = 50;

export interface LiveQuery extends Pick<Static<typeof schemas.LiveQuery>, "clock" | "calls"> {
  /** The entry after which to replay. By default, only new entries are sent. */
  after: Position | undefined;
  types: string[];
}

/**
 * Parses the query of GET /live. WebSocket requests are not validated by a schema. @throws SandboxError `bad_request`
 */
export function readLiveQuery(sandbox: Sandbox, query: Record<string, unknown>): LiveQuery {
  const { after, types, clock, calls } = query as Record<string, string | undefined>;
  return {
    after: readAfter(after),
    types: readTypes(sandbox, types),
    clock: String(clock) === "true",
    calls: String(calls) === "true",
  };
}

/**
 * Sends journal entries: first those after `after`, then each one as it is committed, exactly once. A follower that is
 * behind reads from the journal, so entries do not pile up in memory.
 * @returns a function that unsubscribes
 */
function follow(
  sandbox: Sandbox,
  { after, types }: LiveQuery,
  { send, isReady, whenReady }: Follower,
): () => void {
  const { journal } = sandbox;
  const wanted = (type: string) => types.length === 0 || types.some((asked) => isOf(type, asked));
  let last = after ? resumeAfter(journal, after) : journal.lastSeq();
  let isBehind = true;
  let isOver = false;
  function catchUp(): void {
    if (isOver) return;
    const message = noteOfRemoved(journal, last);
    if (message !== null) send({ type: "notice", data: { message } });
    const page = journal.list({ after: last, types, limit: PAGE });
    for (const entry of page) send(entry);
    isBehind = page.length === PAGE;
    last = isBehind ? page.at(-1)!.seq : journal.lastSeq();
    if (isBehind) afterPendingIo(() => whenReady(catchUp));
  }
  catchUp();
  const unsubscribe = journal.subscribe((entry) => {
    // The journal was replaced, so the expected next entry no longer exists.
    if (entry.seq <= last || REPLACEMENTS.includes(entry.type)) last = entry.seq - 1;
    if (isBehind || !wanted(entry.type)) return;
    isBehind = !isReady();
    if (isBehind) return whenReady(catchUp);
    send(entry);
    last = entry.seq;
  });
  return () => {
    isOver = true;
    unsubscribe();
  };
}

/**
 * Follows the journal and, if requested, the clock until the world is closed.
 * @returns a function that unsubscribes
 */
export function followAll(sandbox: Sandbox, query: LiveQuery, follower: Follower): () => void {
  const stops = [
    ...(query.clock ? [followClock(sandbox, follower)] : []),
    ...(query.calls ? [followCalls(sandbox, follower)] : []),
    follow(sandbox, query, follower),
    sandbox.onClose(() => {
      // Stop now: the connection closes a moment later, and the clock of a closed world cannot be read.
      stop();
      follower.destroy();
    }),
  ];
  const stop = () => {
    for (const one of stops) one();
  };
  return stop;
}

/** Serves GET /live as server-sent events. */
export function streamJournal(
  sandbox: Sandbox,
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
  query: LiveQuery,
): FastifyReply {
  if (!/text\/event-stream/.test(headers.accept ?? "")) {
    throw misuse(
      "GET /live only supports WebSockets and server-sent events.",
      "Connect with a WebSocket, or send the header accept: text/event-stream.",
    );
  }
  const after = lastEventId(headers) ?? query.after;
  return streamEvents(reply, (stream) =>
    followAll(
      sandbox,
      { ...query, after },
      {
        ...stream,
        send: (message) => stream.send(message, "seq" in message ? positionOf(message) : undefined),
      },
    ),
  );
}

/**
 * For how long clock changes, or API calls, are collected before they are sent in one message, in real milliseconds. A
 * single advance causes many of them.
 */
const TOGETHER_MS = 50;

/**
 * Combines changes that happen in quick succession into one message.
 * @param listen calls its argument on each change, and returns a function that unsubscribes
 */
function sendTogether({ whenReady }: Follower, listen: (change: () => void) => () => void, send: () => void) {
  let cancel: (() => void) | undefined;
  const sendLast = () => {
    cancel = undefined;
    send();
  };
  const stop = listen(() => {
    cancel ??= wallTimer(TOGETHER_MS, () => whenReady(sendLast));
  });
  return () => {
    cancel?.();
    stop();
  };
}

/**
 * Sends the clock's state now and whenever the clock moves or is set, the next due timer changes, or an advance makes
 * progress.
 * @returns a function that unsubscribes
 */
function followClock({ clock }: Sandbox, follower: Follower): () => void {
  let last = "";
  let moved = true;
  function sendChange(): void {
    const message = clock.message();
    const { next_due, next_own_due, advance } = message.data;
    const state = JSON.stringify([next_due, next_own_due, advance]);
    if (!moved && state === last) return;
    moved = false;
    last = state;
    follower.send(message);
  }
  const listen = (change: () => void) =>
    clock.onChange((clockMoved) => {
      moved ||= clockMoved;
      change();
    });
  const stop = sendTogether(follower, listen, sendChange);
  sendChange();
  return stop;
}

/**
 * Notifies the client of new API calls, which the client then reads.
 * @returns a function that unsubscribes
 */
const followCalls = ({ requests }: Sandbox, follower: Follower): (() => void) =>
  sendTogether(follower, requests.onCall, () =>
    follower.send({ type: "calls", data: { last: requests.count() } }),
  );
