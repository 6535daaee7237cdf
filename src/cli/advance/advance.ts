import type { Client, WebhookWithSecret } from "../../client/http.ts";
import { misuse } from "../../errors/errors.ts";
import type { Advance, AdvancePreview } from "../../library/index.ts";
import type { ClockAdvance } from "../../operations/clock.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { describeTimer, urlsOf, worthShowing } from "../../timeline/entries.ts";
import { instant } from "../../timeline/instant.ts";
import { count } from "../../timeline/text.ts";
import { parseDuration, parseInstant } from "../../world/duration.ts";
import type { Invocation } from "../command.ts";
import { FAILED } from "../exit-codes.ts";
import { type Cell, columns, paint, print, printJson, until } from "../output.ts";
import { chosenSandbox, type ServerOptions } from "../server.ts";
import { cancelOnStop, showProgress } from "./progress.ts";
import { endpointOf, entryCells, toDemoEndpoints } from "./summary.ts";

interface AdvanceOptions extends ServerOptions {
  to?: string;
  until?: string;
  dryRun?: boolean;
  all?: boolean;
  cancel?: boolean;
}

export async function run({ args: [duration], options }: Invocation<AdvanceOptions>): Promise<number> {
  if (options.cancel) return cancel(duration, options);
  const request = readRequest(duration, options);
  const sandbox = await chosenSandbox(options);
  if (options.dryRun) {
    const preview = await sandbox.previewAdvance(request);
    if (options.json) printJson(preview);
    else for (const line of await previewLines(preview, sandbox, options.until)) print(line);
    return 0;
  }
  const result = await advance(sandbox, request, options);
  if (options.json) printJson(result);
  else {
    for (const line of await ledgerLines(result, sandbox)) print(line);
    if (result.cancelled) print(paint.yellow("The advance was cancelled before it finished."));
    else if (!result.reached) print(paint.yellow(missed(options.until!, result)));
  }
  return result.reached ? 0 : FAILED;
}

/** Explains why an advance ended without the entry it was waiting for. */
const missed = (entry: string, { from, to, happened_at: before }: Advance): string =>
  before === undefined
    ? `${entry} did not happen, and nothing more is due.`
    : `${entry} already happened at ${instant(before)} UTC, and nothing due outside the demo data could cause it again${from === to ? ", so the clock was not moved" : ""}.`;

/** Cancels an advance that another program or terminal started. */
async function cancel(duration: string | undefined, options: AdvanceOptions): Promise<number> {
  const { to, until, dryRun, all, json } = options;
  if ([duration, to, until, dryRun, all].some((value) => value !== undefined))
    throw misuse(
      "--cancel cannot be combined with a duration or other advance flags.",
      "Run: npx sandglass advance --cancel",
    );
  const ended = await (await chosenSandbox(options)).run("clock.cancelAdvance");
  if (json) printJson(ended);
  else if (ended.cancelled) print(`Cancelled the advance. It is now ${instant(ended.now)} UTC.`);
  else print("No advance was in progress.");
  return 0;
}

/** Runs an advance and shows its progress. Ctrl-C stops it after the current instant. */
async function advance(sandbox: Client, request: ClockAdvance, { json }: AdvanceOptions): Promise<Advance> {
  const stopShowing = json ? () => {} : showProgress(sandbox);
  cancelOnStop(sandbox);
  try {
    return await sandbox.run("clock.advance", request);
  } finally {
    stopShowing();
  }
}

/** Checks the arguments before calling any sandbox. */
function readRequest(duration: string | undefined, { to, until, all }: AdvanceOptions): ClockAdvance {
  if ([duration, to, until].filter((value) => value !== undefined).length !== 1)
    throw misuse(
      "advance needs exactly one of a duration, --to and --until.",
      "For example: npx sandglass advance 1h, or: npx sandglass advance --until next",
    );
  if (duration !== undefined) return { by: parseDuration(duration) };
  if (to !== undefined) return { to: parseInstant(/^\d+$/.test(to) ? Number(to) : to) };
  return until === "next" && !all ? { until, own: true } : { until: until! };
}

async function ledgerLines({ from, to, wall_ms: wall, ledger }: Advance, sandbox: Client): Promise<string[]> {
  const webhooks = ledger.length === 0 ? [] : await sandbox.webhooks();
  const urls = urlsOf(webhooks);
  const isOfDemo = ofDemoData(webhooks);
  const own = ledger.filter((entry) => !isOfDemo(entry));
  const lines = columns(
    worthShowing(own).map((entry): Cell[] => {
      const { time, what, about, error, next } = entryCells(entry);
      return [time, what, about, endpointOf(entry.data, urls), error, next];
    }),
  );
  const countIn = (entries: Advance["ledger"], ...types: string[]) =>
    entries.filter(({ type }) => types.includes(type)).length;
  const failed = countIn(own, "delivery.failed");
  const made = failed + countIn(own, "delivery.succeeded");
  const demo = ledger.filter(isOfDemo);
  const sent = countIn(demo, "delivery.failed", "delivery.succeeded");
  const expired = countIn(demo, "checkout.expired");
  const more = [
    ...(sent > 0 ? [toDemoEndpoints(sent)] : []),
    ...(expired > 0 ? [`${count(expired, "session")} from the demo data expired`] : []),
  ];
  const attempts =
    made === 0 ? "nothing was delivered" : `${count(made, "delivery", "deliveries")}, ${failed} failed`;
  const far = Date.parse(to) - Date.parse(from);
  return [
    ...lines,
    ...(more.length > 0 ? [paint.dim(more.join("; "))] : []),
    `${paint.bold(`Now ${instant(to)} UTC`)}, ${far === 0 ? "as before" : `${formatDuration(far)} later`}; ${attempts} ${paint.dim(`(took ${formatDuration(wall)})`)}`,
  ];
}

/** Whether to hide an entry that concerns only demo data. If everything is demo data, nothing is hidden. */
function ofDemoData(webhooks: readonly WebhookWithSecret[]) {
  const seeded = new Set(webhooks.filter((one) => one.seeded).map(({ id }) => id));
  if (seeded.size === webhooks.length) return () => false;
  return ({ type, data }: Advance["ledger"][number]): boolean =>
    data.seeded === true || (/^(?:delivery|retry)\./.test(type) && seeded.has(String(data.webhook_id)));
}

async function previewLines(
  { from, to, would_fire: all, would_fire_count: total, would_cause: caused }: AdvancePreview,
  sandbox: Client,
  awaited: string | undefined,
): Promise<string[]> {
  const own = all.filter(({ seeded }) => !seeded);
  const due = own.length > 0 ? own : all;
  if (due.length === 0) return [`Nothing is due from ${instant(from)} to ${instant(to)} UTC.`];
  const urls = urlsOf(await sandbox.webhooks());
  const rows = due.map(({ due_at: at, kind, key, payload }): Cell[] => [
    { text: instant(at), color: paint.dim },
    until(from, at),
    describeTimer({ kind, payload }),
    typeof payload.event_id === "string" ? payload.event_id : key,
    endpointOf(payload, urls),
  ]);
  const listed = total > all.length ? `, and ${total - all.length} later` : "";
  const demo = all.length - due.length;
  const isEvent = awaited !== undefined && awaited !== "next" && awaited !== "idle";
  return [
    ...columns(rows),
    ...(demo > 0 ? [paint.dim(`${demo} more from the demo data`)] : []),
    `Due between ${instant(from)} and ${instant(to)} UTC: ${all.length}${listed}, not counting anything these cause. Nothing was changed.`,
    ...(isEvent
      ? [
          (caused.events[awaited] ?? 0) > 0
            ? `${awaited} would happen and stop the advance.`
            : `Nothing that is due would cause ${awaited}, but your server's responses still might.`,
        ]
      : []),
  ];
}
