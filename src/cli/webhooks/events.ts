import type { Client } from "../../client/http.ts";
import { followJournal } from "../../client/live.ts";
import { describeEntry } from "../../timeline/entries.ts";
import { instant } from "../../timeline/instant.ts";
import type { JournalEntry } from "../../world/journal.ts";
import { TONE_COLORS } from "../advance/summary.ts";
import type { Invocation } from "../command.ts";
import { readCount } from "../operation/actions.ts";
import { type Cell, columns, note, paint, print, printJson, widen } from "../output.ts";
import { chosenSandbox, type ServerOptions } from "../server.ts";
import { stopRequested } from "../stop.ts";

interface EventsOptions extends ServerOptions {
  follow?: boolean;
  types?: string;
  after?: string;
  limit?: string;
}

const DEFAULT_LIMIT = "20";
/** The maximum number of entries in a control API response. */
const MOST = 10_000;
/** These widths fit most names, so lines stay aligned. */
const WIDTHS = [5, "2026-01-15 09:00:00".length, "delivery.succeeded".length];

export async function run({ options }: Invocation<EventsOptions>): Promise<number> {
  const after = options.after === undefined ? undefined : readCount(options.after, "--after", { least: 0 });
  const sandbox = await chosenSandbox(options);
  return options.follow ? follow(sandbox, options, after) : list(sandbox, options, after);
}

async function list(sandbox: Client, { types, limit, json }: EventsOptions, after = 0): Promise<number> {
  const rows = readCount(limit ?? DEFAULT_LIMIT, "--limit", { most: MOST });
  const answer = await sandbox.run("events", { order: "desc", limit: rows, after, types });
  const { data } = answer;
  data.reverse();
  if (json) printJson({ data });
  else if (data.length === 0)
    print(types === undefined ? "Nothing has happened yet." : `No entries of ${types}.`);
  else for (const line of columns(data.map(cells))) print(line);
  if (answer.note) note(answer.note);
  return 0;
}

async function follow(sandbox: Client, { types = "", json }: EventsOptions, after?: number): Promise<number> {
  const stopped = stopRequested();
  await sandbox.status();
  const live = await followJournal(sandbox, { types: [types], after, notice: note });
  const printAll = async () => {
    for await (const entry of live.entries) {
      if (json) printJson(entry);
      else print(columns([cells(entry).map((cell, at) => widen(cell, WIDTHS[at] ?? 0))])[0]!);
    }
    return false;
  };
  const isStopped = await Promise.race([stopped.then(() => true), printAll()]);
  live.close();
  if (isStopped) return 0;
  note(`${sandbox.url} closed the connection.`);
  return 1;
}

function cells(entry: JournalEntry): Cell[] {
  const { tone, title, detail } = describeEntry(entry);
  return [
    { text: String(entry.seq), color: paint.dim },
    { text: instant(entry.at), color: paint.dim },
    { text: entry.type, color: TONE_COLORS[tone] },
    detail === "" ? title : `${title}  ${detail}`,
  ];
}
