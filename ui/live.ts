import { type ReadonlySignal, signal } from "@preact/signals";
import type { CallsMessage, ClockMessage, JournalEntry, JournalNotice } from "./api-types.ts";
import { createSequence } from "./models/sequence.ts";

/** Entries that come within so many milliseconds are handed on together: an advance makes thousands. */
const TOGETHER_MS = 16;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** A server that has said nothing for so long is asked whether it still answers. */
const ASK_AFTER_MS = 1_000;
/** A server that takes longer than this to answer, or to accept a connection, is shown as not answering. */
const ANSWER_WITHIN_MS = 1_500;
/** A connection that stays silent for so much longer is replaced: its other end may be gone. */
const REPLACE_AFTER_MS = 15_000;

/**
 * `silent`: the server accepts connections but does not answer, as a process that hangs does.
 * `ended`: the server answers, and has no such world any more.
 */
export type Connection = { state: "connecting" | "open" | "silent" | "lost" | "ended"; attempt: number };

/** The part of a WebSocket that is used; tests bring their own. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export interface LiveParts {
  /** Opens the WebSocket with this query. */
  open: (query: string) => Socket;
  /** Reads the newest entry of the journal. */
  newest: () => Promise<JournalEntry | undefined>;
}

export type Live = ReturnType<typeof createLive>;

/**
 * Hears the journal and the clock for as long as the page is open. A lost connection is made again, and goes on
 * where it was: no entry is lost or doubled. When the world is no longer the one that was heard, `onReplaced` says so;
 * when the server answers again after it did not, `onReturned` does.
 */
export function createLive({ open, newest }: LiveParts) {
  const connection = signal<Connection>({ state: "connecting", attempt: 0 });
  const sequence = createSequence();
  const onEntries = createChannel<JournalEntry[]>();
  const onClock = createChannel<ClockMessage["data"]>();
  const onCalls = createChannel();
  const onReplaced = createChannel();
  const onReturned = createChannel();
  let placed = false;
  /** The newest entry of the journal when the page began to follow it. */
  let begun = 0;
  /** Whether what the listeners have is of another world. */
  let stale = false;
  let waiting: JournalEntry[] = [];
  let handing: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let socket: Socket | undefined;
  /** Each connection has a number; what an earlier one still says is not heard. */
  let current = 0;

  function handOn(): void {
    handing = undefined;
    const entries = waiting;
    waiting = [];
    onEntries.tell(entries);
  }

  function hear(entry: JournalEntry): void {
    const arrival = sequence.take(entry);
    if (arrival === "gap") void connect();
    else if (arrival === "replaced") replaced();
    else if (arrival === "next") {
      waiting.push(entry);
      handing ??= setTimeout(handOn, TOGETHER_MS);
    }
  }

  /** The entries belong to another world: everything is read again, and followed from its newest entry. */
  function replaced(): void {
    waiting = [];
    placed = false;
    stale = true;
    void connect();
  }

  function receive(text: string): void {
    const message = JSON.parse(text) as CallsMessage | ClockMessage | JournalNotice | JournalEntry;
    if ("seq" in message) hear(message);
    // Entries after the last one that was heard were removed.
    else if (message.type === "notice") replaced();
    else if (message.type === "calls") onCalls.tell();
    else if (!sequence.reaches(message.data.last_seq)) replaced();
    else onClock.tell(message.data);
  }

  async function connect(): Promise<void> {
    hangUp();
    current += 1;
    const connectionId = current;
    expectAnswer();
    try {
      // Also where it is known where to go on: a refused WebSocket does not say why, and this does.
      const entry = await newest();
      if (connectionId !== current) return;
      if (!placed) {
        sequence.begin(entry);
        begun = entry?.seq ?? 0;
      }
      placed = true;
      // Only now: what is read from here on has every entry up to the one that is followed from.
      if (stale) onReplaced.tell();
      stale = false;
    } catch (error) {
      if (connectionId === current) lose(error);
      return;
    }
    socket = open(`?clock=true&calls=true&after=${sequence.after}`);
    socket.onopen = () => {
      if (connectionId === current) answered();
    };
    socket.onmessage = ({ data }) => {
      if (connectionId !== current) return;
      answered();
      receive(String(data));
    };
    socket.onclose = () => {
      if (connectionId === current) lose();
    };
  }

  /** The server answers: it is asked again once it has been quiet for a while. */
  function answered(): void {
    const { state } = connection.peek();
    if (state !== "open") connection.value = { state: "open", attempt: 0 };
    wait(ASK_AFTER_MS, () => {
      socket?.send("clock");
      expectAnswer();
    });
    if (state !== "open" && state !== "connecting") onReturned.tell();
  }

  function expectAnswer(): void {
    wait(ANSWER_WITHIN_MS, () => {
      connection.value = { state: "silent", attempt: connection.peek().attempt };
      wait(REPLACE_AFTER_MS, lose);
    });
  }

  function wait(ms: number, then: () => void): void {
    clearTimeout(patience);
    patience = setTimeout(then, ms);
  }

  /** @param reason why the server refused, where it said so */
  function lose(reason?: unknown): void {
    hangUp();
    const attempt = connection.peek().attempt + 1;
    const ended = (reason as { status?: number } | undefined)?.status === 404;
    connection.value = { state: ended ? "ended" : "lost", attempt };
    const backOff = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
    // A world of that name may be made again.
    retry = setTimeout(() => void connect(), ended ? LONGEST_RETRY_MS : backOff);
  }

  function hangUp(): void {
    clearTimeout(retry);
    clearTimeout(patience);
    retry = undefined;
    current += 1;
    socket?.close();
    socket = undefined;
  }

  return {
    connection: connection as ReadonlySignal<Connection>,
    /** The last entry that is not handed on, as it was there before. */
    begun: () => begun,
    onEntries: onEntries.listen,
    onClock: onClock.listen,
    /** Says that APIs were called. */
    onCalls: onCalls.listen,
    onReplaced: onReplaced.listen,
    onReturned: onReturned.listen,
    start: () => void connect(),
    /** Tries at once instead of waiting. */
    retryNow(): void {
      if (retry !== undefined) void connect();
    },
    close(): void {
      hangUp();
      clearTimeout(handing);
    },
  };
}

export function createChannel<Value = void>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    tell(value: Value): void {
      for (const listener of listeners) listener(value);
    },
    /** @returns stops listening */
    listen(listener: (value: Value) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
