import type { IncomingMessage } from "node:http";
import type { ClockMessage } from "../world/clock-message.ts";
import type { JournalEntry, JournalNotice } from "../world/journal.ts";
import { readJson, refusalOf } from "./refusal.ts";
import { openRequest, type Reached, readBytes, tokenHeader } from "./transport.ts";

/** The live stream of a running sandbox's journal. */
export interface LiveJournal {
  /**
   * The entries. The iteration ends when the connection does. Entries that arrive before the first read are buffered.
   */
  entries: AsyncIterable<JournalEntry>;
  close(): void;
}

export interface LiveOptions {
  /** Entry types, or patterns that end with `*`. */
  types: readonly string[];
  /** Replays the entries after this one (or after its `seq`) first. By default, only new entries are delivered. */
  after?: number | Pick<JournalEntry, "seq" | "wall"> | undefined;
  /** Called with messages for the user, each a sentence or two long. */
  notice: (message: string) => void;
}

/**
 * Follows a sandbox's journal. Once the promise has resolved, no new entry is missed.
 * @throws SandboxError `unreachable`, or the sandbox's own error
 */
export async function followJournal(
  sandbox: Reached,
  { types, after, notice }: LiveOptions,
): Promise<LiveJournal> {
  const query = new URLSearchParams({ types: types.join(",") });
  if (after !== undefined)
    query.set("after", typeof after === "number" ? String(after) : `${after.seq}@${after.wall}`);
  const { messages, close } = await openStream<JournalEntry | JournalNotice>(sandbox, query);
  const entries = async function* () {
    for await (const message of messages) {
      if ("seq" in message) yield message;
      else notice(message.data.message);
    }
  };
  return { entries: entries(), close };
}

/** Follows a sandbox's clock and the progress of advances. @throws SandboxError `unreachable` */
export function followClock(sandbox: Reached): Promise<Stream<ClockMessage>> {
  // No journal entry has the type `clock`, so this streams only clock messages.
  return openStream(sandbox, new URLSearchParams({ clock: "true", types: "clock" }));
}

interface Stream<Message> {
  messages: AsyncIterable<Message>;
  close(): void;
}

async function openStream<Message>(
  { url, token }: Reached,
  query: URLSearchParams,
): Promise<Stream<Message>> {
  const response = await openRequest(url, {
    method: "GET",
    path: `/_sandbox/live?${query}`,
    headers: { accept: "text/event-stream", ...tokenHeader(token) },
  });
  if (!/^text\/event-stream/.test(response.headers["content-type"] ?? ""))
    throw refusalOf(url, response.statusCode!, readJson((await readBytes(url, response)).toString()));
  // The journal is silent while nothing happens, so silence must not end the connection.
  response.socket.setTimeout(0);
  return { messages: readEvents<Message>(response), close: () => void response.destroy() };
}

/** Yields the `data` of each server-sent event. */
async function* readEvents<Message>(response: IncomingMessage): AsyncGenerator<Message> {
  response.setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of response) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop()!;
      for (const event of events) {
        const data = event
          .split("\n")
          .filter((line) => line.startsWith("data: "))
          .map((line) => line.slice("data: ".length))
          .join("\n");
        if (data !== "") yield JSON.parse(data) as Message;
      }
    }
  } catch (error) {
    if (!("code" in (error as Error))) throw error;
  }
}
