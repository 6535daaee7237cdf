import { type Excerpt, excerptOf, type Timeline } from "../reports/timeline/excerpt.ts";
import { type TimelineRow, timelineRows } from "../reports/timeline/rows.ts";
import { timelineLines } from "../reports/timeline/text.ts";
import { instant } from "../story/instant.ts";
import { readCount } from "./actions.ts";
import { findEndpoint } from "./endpoint-name.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { pathOf, requireName, showEndpoint, statusCell, type WebhooksCall } from "./webhook-calls.ts";

const DEFAULT_ATTEMPTS = "100";
const MOST_ATTEMPTS = 10_000;
/** How wide it is drawn where no terminal says how wide it is. */
const DEFAULT_WIDTH = 100;

/** `sandglass webhooks timeline`: an endpoint's past and future, as a report draws them. */
export async function timeline({ sandbox, name, options }: WebhooksCall): Promise<undefined> {
  const limit = readCount(options.limit ?? DEFAULT_ATTEMPTS, "--limit", { most: MOST_ATTEMPTS });
  const endpoint = await findEndpoint(sandbox, requireName("timeline", name));
  const drawn = await sandbox.control<Timeline>("GET", `${pathOf(endpoint)}/timeline?limit=${limit}`, {
    fields: ["attempts", "forecast"],
  });
  if (options.json) {
    printJson(drawn);
    return undefined;
  }
  const { consecutive_failures: failures, threshold } = drawn.counter;
  const { text, color } = statusCell(endpoint);
  showEndpoint(endpoint, [
    ["status", { text: `${text}, ${failures} of ${threshold} failures in a row`, color }],
  ]);
  print("");
  const width = process.stdout.columns || DEFAULT_WIDTH;
  const excerpt = excerptOf(drawn, beginOf(drawn, limit));
  for (const line of [...timelineLines(excerpt, { paint, width }), "", ...tableLines(excerpt)]) print(line);
  return undefined;
}

/** The drawing as a table, with the ids that other commands take. */
function tableLines(excerpt: Excerpt): string[] {
  const colors: Record<TimelineRow["tone"], (text: string) => string> = {
    good: paint.green,
    bad: paint.red,
    pending: paint.yellow,
    ahead: paint.dim,
    none: (text) => text,
  };
  return columns(
    timelineRows(excerpt).map(({ at, tone, attempt, words }): Cell[] => [
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

/** Where the drawing begins: where not all attempts are shown, what is older than they are is left out. */
const beginOf = ({ attempts }: Timeline, limit: number): number =>
  attempts.length < limit ? Number.NEGATIVE_INFINITY : Date.parse(attempts[0]!.started_at);
