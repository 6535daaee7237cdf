import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { JournalEntry } from "../../src/world/journal.ts";
import { createWaiting } from "./patience.ts";

/** Receives the journal's entries as they arrive on a connection. */
export interface Listener {
  entries: JournalEntry[];
  /** Resolves when this many entries have arrived. */
  heard(count: number): Promise<JournalEntry[]>;
  /** Resolves when `count` entries of a type have arrived. */
  until(type: string, count?: number): Promise<void>;
  close(): void;
}

/** Describes an entry with the objects that it is about, such as the endpoint and the delivery. */
const lineOf = ({ seq, type, data }: JournalEntry): string =>
  `${seq} ${type} ${Object.entries(data)
    .filter(([key]) => key === "id" || key.endsWith("_id") || key === "attempt")
    .map(([key, value]) => `${key}=${value}`)
    .join(" ")}`;

function collector(close: () => void): Listener & { add(entry: JournalEntry): void } {
  const entries: JournalEntry[] = [];
  const waiting = createWaiting();
  onTestFinished(close);
  return {
    entries,
    close,
    add(entry) {
      entries.push(entry);
      waiting.check();
    },
    async heard(count) {
      await waiting.until(
        () => entries.length >= count,
        () => `${entries.length} of ${count} entries came: ${entries.map(({ type }) => type).join(", ")}`,
      );
      return entries;
    },
    until: (type, count = 1) =>
      waiting.until(
        () => entries.filter((entry) => entry.type === type).length >= count,
        () => `${count} of ${type} did not come:\n${entries.map(lineOf).join("\n")}`,
      ),
  };
}

/** Listens through a WebSocket. Rejects with the status if the connection is refused. */
export async function listenBySocket(
  url: string,
  query = "",
  headers: Record<string, string> = {},
  path = "/_sandbox/live",
): Promise<Listener> {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}${query}`, { headers });
  const listener = collector(() => socket.terminate());
  socket.on("message", (data) => listener.add(JSON.parse(String(data))));
  await new Promise<void>((resolve, reject) => {
    socket.on("open", () => resolve());
    socket.on("unexpected-response", (_request, response) =>
      reject(new Error(`refused ${response.statusCode}`)),
    );
    socket.on("error", reject);
  });
  return listener;
}

/** Listens through server-sent events. `ids` are those that a browser would send as Last-Event-ID. */
export async function listenByEvents(url: string, query = "", headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`${url}/_sandbox/live${query}`, {
    headers: { accept: "text/event-stream", ...headers },
    signal: abort.signal,
  });
  const listener = {
    ...collector(() => abort.abort()),
    ids: [] as string[],
    names: [] as string[],
    response,
  };
  void read(response, (event) => {
    listener.ids.push(event.id!);
    listener.names.push(event.event!);
    listener.add(JSON.parse(event.data!));
  }).catch(() => undefined);
  return listener;
}

async function read(response: Response, hear: (event: Record<string, string>) => void): Promise<void> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const lines = block.split("\n").filter((line) => !line.startsWith(":"));
      if (lines.length === 0) continue;
      hear(
        Object.fromEntries(
          lines.map((line) => [line.split(": ", 1)[0]!, line.slice(line.indexOf(": ") + 2)]),
        ),
      );
    }
  }
}
