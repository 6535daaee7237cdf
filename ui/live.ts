import { type ReadonlySignal, signal } from "@preact/signals";
import type { ClockMessage, JournalEntry } from "./api-types.ts";
import { createSequence } from "./models/sequence.ts";

/** Entries that come within so many milliseconds are handed on together: an advance makes thousands. */
const TOGETHER_MS = 16;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

export type Connection = { state: "connecting" | "open" | "lost"; attempt: number };

/** The part of a WebSocket that is used; tests bring their own. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
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
 * where it was: no entry is lost or doubled. When the world is no longer the one that was heard, `onReplaced` says so.
 */
export function createLive({ open, newest }: LiveParts) {
  const connection = signal<Connection>({ state: "connecting", attempt: 0 });
  const sequence = createSequence();
  const entryListeners = new Set<(entries: JournalEntry[]) => void>();
  const clockListeners = new Set<(clock: ClockMessage["data"]) => void>();
  const replacedListeners = new Set<() => void>();
  let placed = false;
  let waiting: JournalEntry[] = [];
  let handing: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let socket: Socket | undefined;
  /** Each connection has a number; what an earlier one still says is not heard. */
  let current = 0;

  function handOn(): void {
    handing = undefined;
    const entries = waiting;
    waiting = [];
    for (const listener of entryListeners) listener(entries);
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

  /** What was heard is of another world: all is read anew, and followed from its newest entry. */
  function replaced(): void {
    waiting = [];
    placed = false;
    for (const listener of replacedListeners) listener();
    void connect();
  }

  function receive(text: string): void {
    const message = JSON.parse(text) as ClockMessage | JournalEntry;
    if ("seq" in message) hear(message);
    else if (!sequence.reaches(message.data.last_seq)) replaced();
    else for (const listener of clockListeners) listener(message.data);
  }

  async function connect(): Promise<void> {
    hangUp();
    current += 1;
    const mine = current;
    try {
      const entry = placed ? undefined : await newest();
      if (mine !== current) return;
      if (!placed) sequence.begin(entry);
      placed = true;
    } catch {
      if (mine === current) lose();
      return;
    }
    socket = open(`?clock=true&after=${sequence.after}`);
    socket.onopen = () => {
      if (mine === current) connection.value = { state: "open", attempt: 0 };
    };
    socket.onmessage = ({ data }) => {
      if (mine === current) receive(String(data));
    };
    socket.onclose = () => {
      if (mine === current) lose();
    };
  }

  function lose(): void {
    const attempt = connection.value.attempt + 1;
    connection.value = { state: "lost", attempt };
    retry = setTimeout(() => void connect(), Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS));
  }

  function hangUp(): void {
    clearTimeout(retry);
    retry = undefined;
    current += 1;
    socket?.close();
    socket = undefined;
  }

  return {
    connection: connection as ReadonlySignal<Connection>,
    onEntries: listenersOf(entryListeners),
    onClock: listenersOf(clockListeners),
    onReplaced: listenersOf(replacedListeners),
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

function listenersOf<Listener>(listeners: Set<Listener>): (listener: Listener) => () => void {
  return (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
}
