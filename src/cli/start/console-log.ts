import { withoutSecrets } from "../../runtime/secret-parameters.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ObservedCall, Observer } from "../../server/serve.ts";
import { failureText } from "../../timeline/attempt.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { instant } from "../../timeline/instant.ts";
import { clip } from "../../timeline/text.ts";
import type { JournalEntry } from "../../world/journal.ts";
import { paint, printable } from "../output.ts";

/** The maximum length of a path or URL; longer ones are truncated. */
const LONGEST = 160;
/** Matches the URL of a built-in inbox. Requests to it are deliveries, which have their own lines. */
const INBOX = /^\/_sandbox\/inbox\/[^/]+$/;
const APIS = /^\/(?:platform|data|game)(?:\/|$)/;
/** Matches API reference pages and their OpenAPI documents, which load like the page's other files. */
const REFERENCES = /\/(?:reference|openapi\.json)$/;
/** Browsers request this file without being asked. */
const FAVICON = "/favicon.ico";
const READS = new Set(["GET", "HEAD", "OPTIONS"]);

const ERROR = 400;

/**
 * Prints a line for each incoming call and each outgoing delivery. Lines are held back until `begin` is called, so the
 * URL is printed first.
 */
export function createConsoleLog(): Observer & { begin(): void } {
  let begun = false;
  let lines: string[] = [];
  let flushing = false;
  const worlds = new Map<string, Sandbox>();

  function flush(): void {
    flushing = false;
    if (!begun || lines.length === 0) return;
    process.stdout.write(`${lines.join("\n")}\n`);
    lines = [];
  }

  /** Collect lines from the same moment and write them together. */
  function add(at: string, text: string): void {
    lines.push(`${paint.dim(instant(at).slice(0, 19))}  ${text}`);
    if (flushing || !begun) return;
    flushing = true;
    setImmediate(flush);
  }

  return {
    begin() {
      begun = true;
      flush();
    },

    call(call) {
      const { world, path } = splitWorld(call.url);
      if (!isShown(call, path)) return;
      const { now } = (worlds.get(world) ?? worlds.values().next().value!).clock.state();
      add(now, callLine(call));
    },

    world(sandbox) {
      const { name } = sandbox.world;
      worlds.set(name, sandbox);
      sandbox.onClose(() => void worlds.delete(name));
      sandbox.journal.subscribe((entry) => {
        const line = entryLine(sandbox, entry);
        if (line) add(entry.at, worlds.size > 1 ? `${line} ${paint.dim(`in world ${name}`)}` : line);
      });
    },
  };
}

function splitWorld(url: string): { world: string; path: string } {
  const path = url.split("?", 1)[0]!;
  const prefix = /^\/w\/([^/]+)(?=\/|$)/.exec(path);
  return prefix
    ? { world: prefix[1]!, path: path.slice(prefix[0].length) || "/" }
    : { world: "default", path };
}

/**
 * Whether to show a call: API calls, changes through the control API and rejected requests, but not the page's reads, files
 * and references.
 * See "The log" in docs/guide/command-line.md.
 */
function isShown({ method, status, unlisted }: ObservedCall, path: string): boolean {
  if (unlisted || path === FAVICON || INBOX.test(path)) return false;
  if (status >= ERROR) return true;
  if (APIS.test(path)) return !REFERENCES.test(path);
  return !READS.has(method);
}

function callLine({ method, url, status, took }: ObservedCall): string {
  const color = status >= ERROR ? paint.red : paint.green;
  return `in   ${method.padEnd(6)} ${shown(url)}  ${color(String(status))} ${paint.dim(`in ${formatDuration(took)}`)}`;
}

/** A line about a delivery, or about an endpoint that was disabled; undefined for other entries. */
function entryLine(sandbox: Sandbox, { type, at, data }: JournalEntry): string | undefined {
  if (type === "webhook.disabled")
    return `out  ${paint.red(`endpoint disabled: ${urlOf(sandbox, data.id)}`)}`;
  const result = resultOf(type, at, data);
  if (result === undefined) return undefined;
  const { event, attempt, trigger } = data;
  const name =
    trigger === "test" || trigger === "resend" ? trigger : `attempt ${String(attempt ?? "")}`.trim();
  const words = type === "delivery.unanswered" ? String(event) : `${String(event)}, ${String(name)}`;
  return `out  ${words} to ${urlOf(sandbox, data.webhook_id)}  ${result}`;
}

function resultOf(type: string, at: string, data: Record<string, unknown>): string | undefined {
  if (type === "delivery.succeeded") return paint.green(String(data.response_code));
  if (type === "delivery.unanswered") return paint.yellow("no response yet");
  if (type !== "delivery.failed") return undefined;
  const failed = paint.red(failureText(data.error, data.response_code));
  if (typeof data.next_attempt_at !== "string") return failed;
  const wait = Date.parse(data.next_attempt_at) - Date.parse(at);
  return `${failed}${paint.dim(`, next attempt in ${formatDuration(wait)}`)}`;
}

const urlOf = (sandbox: Sandbox, id: unknown): string =>
  shown(sandbox.webhooks.urlOf(String(id)) ?? String(id));

/** A path or URL for a line, without query values that may be secret. */
const shown = (url: string): string => clip(printable(withoutSecrets(url)), LONGEST);
