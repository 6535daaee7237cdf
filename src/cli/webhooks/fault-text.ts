import { CALLS } from "../../client/calls.ts";
import type { ResultOf } from "../../client/http.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { type FaultEffect, stepText } from "../../timeline/fault-steps.ts";
import { count } from "../../timeline/text.ts";

/** The kinds of failures other than a status. */
export const KINDS = CALLS["webhooks.fail"].fields
  .kind!.enum!.map(String)
  .filter((kind) => kind !== "status");

/** An active fault of any kind; `spec` is null if no fault is set. */
export type ActiveFault = Omit<ResultOf<"faults.get">, "spec"> & { spec: FaultSpec | null };

/** The fields that faults of subscribers, APIs and providers may have. */
interface FaultSpec extends FaultEffect<string> {
  state?: string;
  latency?: number;
  sequence?: Parameters<typeof stepText>[0][];
  match?: string;
  times?: number;
  rate?: number;
}

/** Describes a fault in words: `503 after 200 ms for POST /payment-links*, 2 times`. */
export function faultText(spec: FaultSpec): string {
  const { match, times, rate, passThrough, overlap } = spec;
  return [
    effectText(spec) + (match === undefined ? "" : ` for ${match}`),
    times === undefined ? "" : count(times, "time"),
    rate === undefined ? "" : `at a rate of ${rate}`,
    overlap ? "also sent, with the next request" : passThrough ? "also sent to the subscriber" : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function effectText({ sequence, ...spec }: FaultSpec): string {
  if (sequence) return `${sequence.map((step) => stepText(step, spec)).join(", ")} in turn`;
  const { kind, state, status, latency } = spec;
  const delay = latency === undefined ? undefined : formatDuration(latency);
  if (state === "slow") return delay === undefined ? state : `${state}, takes ${delay}`;
  const failure = [kind === "status" ? undefined : kind, state, status].filter((part) => part !== undefined);
  if (failure.length === 0) return delay === undefined ? "500" : `${delay} slower`;
  return failure.join(" ") + (delay === undefined ? "" : ` after ${delay}`);
}

/** How often a fault applied: `hit 2 of 5 calls`. */
export const hitText = ({ asked, hit }: Pick<ActiveFault, "asked" | "hit">): string =>
  asked === 0 ? "no calls so far" : `hit ${hit} of ${count(asked, "call")}`;
