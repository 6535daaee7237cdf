import { CALL_FAILURES } from "../../../src/timeline/entries/chain-data.ts";
import type { JournalEntry } from "../../api-types.ts";
import { count } from "../format.ts";
import { chainName } from "./keys.ts";

/** A call of a provider, or what the cache did with the results. */
export interface Step {
  seq: number;
  who: string;
  where: string;
  /** The path at the provider; empty for the cache. */
  path: string;
  tone: "good" | "bad" | "plain";
  mark: string;
  text: string;
}

/** The steps that one request took through the providers. */
export interface Run {
  seq: number;
  at: string;
  steps: Step[];
}

const callOf = ({ data }: JournalEntry) => `${data.provider} ${data.chain_id} ${data.path}`;
const isCall = ({ type }: JournalEntry) => type.startsWith("upstream.");

/**
 * The ways that requests took, newest first.
 * @param entries oldest first
 * @param matters whether a key of the cache is meant
 */
export function runsOf(entries: readonly JournalEntry[], matters: (key: string) => boolean): Run[] {
  const runs: JournalEntry[][] = [];
  const wanted = new Map<string, boolean>();
  for (const entry of entries) {
    const key = String(entry.data.request ?? entry.data.key);
    if (!wanted.has(key)) wanted.set(key, matters(key));
    if (!wanted.get(key)) continue;
    const run = runs.at(-1);
    if (run && continues(run, entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.map(runFrom).reverse();
}

/** Entries of a request stand together; the cache's own is its last, and no call is made twice. */
function continues(run: JournalEntry[], entry: JournalEntry): boolean {
  const last = run.at(-1)!;
  const together = isCall(last) && entry.seq === last.seq + 1;
  return together && !(isCall(entry) && run.some((earlier) => callOf(earlier) === callOf(entry)));
}

function runFrom(entries: JournalEntry[]): Run {
  const { seq, at } = entries[0]!;
  return { seq, at, steps: entries.map(stepFrom) };
}

function stepFrom({ seq, type, data }: JournalEntry): Step {
  const rows = count(Number(data.rows), "row");
  const cache = { seq, who: "cache", where: "", path: "" };
  if (type === "cache.stored") return { ...cache, tone: "good", mark: "cached", text: `cached ${rows}` };
  if (type === "cache.served_stale")
    return { ...cache, tone: "bad", mark: "stale", text: "serves an expired answer" };
  const call = {
    seq,
    who: String(data.provider),
    where: data.chain_id === null ? "" : chainName(Number(data.chain_id)),
    path: String(data.path),
    mark: data.status === null ? "" : String(data.status),
  };
  if (type === "upstream.empty") return { ...call, tone: "plain", text: "has no data" };
  if (type !== "upstream.failed") return { ...call, tone: "good", text: `returned ${rows}` };
  const text = CALL_FAILURES[String(data.reason)] ?? `answered ${data.status}`;
  return { ...call, tone: "bad", mark: call.mark || "none", text };
}

/** Why it went on from a step; nothing where it did not. */
export function fellThrough(step: Step, next: Step | undefined): string {
  if (!next || next.who === step.who || step.who === "cache" || step.tone === "good") return "";
  return next.who === "cache" ? "" : `so ${next.who} is next`;
}
