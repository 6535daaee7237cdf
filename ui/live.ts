import { type ReadonlySignal, signal } from "@preact/signals";
import type { CallsMessage, ClockMessage, JournalEntry, JournalNotice } from "./api-types.ts";
import { createSequence } from "./models/sequence.ts";

/**
 * Entries that arrive within this many milliseconds are delivered as one batch, because an advance creates thousands.
 */
const TOGETHER_MS = 16;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** After this many milliseconds of silence, ping the server. */
const ASK_AFTER_MS = 1_000;
/** If the server takes longer than this to respond or to accept a connection, it is shown as not responding. */
const ANSWER_WITHIN_MS = 1_500;
/** If the connection then stays silent for this much longer, it is replaced, because the other end may be gone. */
const REPLACE_AFTER_MS = 15_000;

/**
 * `silent` means that the server accepts connections but does not respond, as a hung process does. `ended` means that
 * the server responds, but this world no longer exists.
 */
export type Connection = { state: "connecting" | "open" | "silent" | "lost" | "ended"; attempt: number };

/** The parts of a WebSocket that are used here. Tests provide their own implementation. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export interface LiveParts {
  open: (query: string) => Socket;
  newest: () => Promise<JournalEntry | undefined>;
}

export type Live = ReturnType<typeof createLive>;

/**
 * Follows the journal and the clock while the page is open. A lost connection is re-established and resumes where it
 * stopped, so no entry is lost or duplicated. `onReplaced` fires when the world has been replaced, and `onReturned`
 * when the server responds again after an interruption.
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
  /** The newest journal entry at the time when the page started to follow the journal. */
  let begun = 0;
  /** Whether the listeners' data belongs to a world that has since been replaced. */
  let stale = false;
  let waiting: JournalEntry[] = [];
  let handing: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let socket: Socket | undefined;
  /** The number of the current connection. Messages from earlier connections are ignored. */
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

  /**
   * Called when the entries belong to another world: reads everything again and follows the new journal from its newest
   * entry.
   */
  function replaced(): void {
    waiting = [];
    placed = false;
    stale = true;
    void connect();
  }

  function receive(text: string): void {
    const message = JSON.parse(text) as CallsMessage | ClockMessage | JournalNotice | JournalEntry;
    if ("seq" in message) hear(message);
    // The server has removed entries that this page had not received yet.
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
      // Make this call even when resuming: a rejected WebSocket does not reveal the reason, but this call does.
      const entry = await newest();
      if (connectionId !== current) return;
      if (!placed) {
        sequence.begin(entry);
        begun = entry?.seq ?? 0;
      }
      placed = true;
      // Notify the listeners only now, so whatever they read includes every entry up to the starting point.
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

  /** Called when the server has responded. Pings the server again after a period of silence. */
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

  /** @param reason the error that the server sent, if any */
  function lose(reason?: unknown): void {
    hangUp();
    const attempt = connection.peek().attempt + 1;
    const ended = (reason as { status?: number } | undefined)?.status === 404;
    connection.value = { state: ended ? "ended" : "lost", attempt };
    const backOff = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
    // A world with this name may be created again, so keep trying.
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
    /** The last entry written before the page connected. Only later entries are delivered. */
    begun: () => begun,
    onEntries: onEntries.listen,
    onClock: onClock.listen,
    /** Fires when API calls have been logged. */
    onCalls: onCalls.listen,
    onReplaced: onReplaced.listen,
    onReturned: onReturned.listen,
    start: () => void connect(),
    /** Reconnects immediately instead of waiting for the next attempt. */
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
    /** @returns a function that removes the listener */
    listen(listener: (value: Value) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
