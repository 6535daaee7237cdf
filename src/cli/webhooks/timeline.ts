import type { Client } from "../../client/http.ts";
import { type Excerpt, excerptOf, type Timeline } from "../../reports/timeline/excerpt.ts";
import { type RowPositions, type TimelineRow, timelineRows } from "../../reports/timeline/rows.ts";
import { timelineLines as drawnLines } from "../../reports/timeline/text.ts";
import { counterWords } from "../../timeline/counter.ts";
import { instant } from "../../timeline/instant.ts";
import type { ViewCall } from "../operation/view.ts";
import { type Cell, columns, fields, paint } from "../output.ts";
import { deliveryAdvice } from "./deliveries.ts";

/** The drawing's width without a terminal. */
const DEFAULT_WIDTH = 100;

export const statusCell = ({ status }: { status: string }) => ({
  text: status,
  color: status === "enabled" ? paint.green : paint.red,
});

/** `sandglass webhooks timeline`: an endpoint's past and future, drawn as in a report. */
export async function timelineLines(drawn: Timeline, { sandbox, given }: ViewCall): Promise<string[]> {
  const endpoint = (await sandbox.webhooks()).find(({ id }) => id === drawn.webhook_id)!;
  const { consecutive_failures: failures, threshold } = drawn.counter;
  const { text, color } = statusCell(endpoint);
  const width = process.stdout.columns || DEFAULT_WIDTH;
  const excerpt = excerptOf(drawn, beginOf(drawn, given.limit));
  const positions = await readPositions(sandbox, drawn);
  return [
    ...fields([
      ["endpoint", `${endpoint.id}, ${endpoint.url}`],
      ["status", { text: `${text}, ${counterWords(failures, threshold)}`, color }],
    ]),
    "",
    ...drawnLines(excerpt, { paint, width }),
    "",
    ...tableLines(excerpt, positions),
    ...deliveryAdvice(drawn.attempts.slice(-1).map((attempt) => ({ ...attempt, url: endpoint.url }))),
  ];
}

/** How many journal entries to read to find the order of changes within an instant. */
const MOST_ENTRIES = 10_000;
/** The timeline change that a journal entry stands for; empty if it stands for none. */
const changeOf = (type: string): string =>
  type === "mail.sent" ? "mail" : (/^webhook\.(.+)$/.exec(type)?.[1] ?? "");

/**
 * The journal positions of the endpoint's attempts and changes; empty if no change happened at the same instant as an
 * attempt.
 */
async function readPositions(sandbox: Client, drawn: Timeline): Promise<RowPositions> {
  const starts = new Map(drawn.attempts.map(({ delivery_id: id, started_at: at }) => [id, at]));
  const positions = new Map<string, number>();
  const instants = new Set(starts.values());
  if (!drawn.changes.some(({ at }) => instants.has(at))) return positions;
  const { data } = await sandbox.run("events", {
    types: "delivery.started,delivery.succeeded,delivery.failed,retry.skipped,webhook.*,mail.sent",
    order: "desc",
    limit: MOST_ENTRIES,
  });
  const changes = new Map<string, number[]>();
  for (const { seq, type, at, data: about } of data.reverse()) {
    const change = changeOf(type);
    const id = String(change && change !== "mail" ? about.id : about.webhook_id);
    if (id !== drawn.webhook_id) continue;
    if (change) changes.set(`${change}/${at}`, [...(changes.get(`${change}/${at}`) ?? []), seq]);
    else if (type === "retry.skipped") positions.set(`skipped/${about.event_id}/${about.attempt}`, seq);
    // Place an attempt at the entry for its start; if it ended at the same instant, place it at the entry for its end.
    else if (starts.get(String(about.id)) === at) positions.set(String(about.id), seq);
  }
  // The journal may start after an instant's first changes, so match the last ones first.
  for (const [key, seqs] of changes) {
    const count = drawn.changes.filter(({ type, at }) => `${type}/${at}` === key).length;
    for (const [index, seq] of seqs.entries()) positions.set(`${key}/${count - seqs.length + index}`, seq);
  }
  return positions;
}

/** The timeline as a table, with ids to use in other commands. */
function tableLines(excerpt: Excerpt, positions: RowPositions): string[] {
  const colors: Record<TimelineRow["tone"], (text: string) => string> = {
    good: paint.green,
    bad: paint.red,
    pending: paint.yellow,
    ahead: paint.dim,
    none: (text) => text,
  };
  return columns(
    timelineRows(excerpt, positions).map(({ at, tone, attempt, words }): Cell[] => [
      { text: instant(at), color: paint.dim },
      attempt?.event ?? "endpoint",
      attempt?.name ?? "",
      { text: words, color: colors[tone] },
      attempt?.failures ?? "",
      attempt?.nextAt == null ? "" : `next ${instant(attempt.nextAt)}`,
      attempt?.deliveryId ?? "",
    ]),
  );
}

/** Where the drawing starts. If not all attempts are shown, changes before the first one shown are omitted. */
const beginOf = ({ attempts }: Timeline, limit: number): number =>
  attempts.length < limit ? Number.NEGATIVE_INFINITY : Date.parse(attempts[0]!.started_at);
