import { availableParallelism } from "node:os";
import { invalidState, misuse } from "../../errors/errors.ts";
import { isFree, nextFree } from "../../runtime/free-port.ts";
import { isAddress } from "../../runtime/http-url.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { isTables } from "../../trial/database/source.ts";
import type { Crew } from "../../trial/schedules/options.ts";
import { freePorts } from "../../trial/subject/instances.ts";
import { endAll } from "../../trial/subject/remote-state.ts";
import type { Subject } from "../../trial/subject/subscriber.ts";
import { wallNow } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { openSubject } from "../trial/open-subject.ts";
import { readShard } from "../trial/run-flags.ts";
import { ofWorker, type SubjectFacts, WORKER, worksOnCopy } from "../trial/subject.ts";
import { type ExplorePlan, explorePlan } from "./plan.ts";

/** The default maximum number of servers. */
const MOST_SERVERS = 4;
/** If exploring with one server takes less time than this, starting more servers does not pay off. */
const LEAST_MS = 10 * SECOND;
/** More servers are started only if the exploration takes at least this many times as long as starting one. */
const LEAST_STARTS = 4;
/**
 * If an additional server listens only on a port other than its assigned one for this long, it apparently ignores PORT.
 */
const ELSEWHERE_MS = SECOND;

/** A plan with its running servers. */
export interface OpenedPlan extends ExplorePlan {
  crew: Crew | undefined;
}

/**
 * Opens an exploration's plan.
 * @throws SandboxError `bad_request` for workers that would share state; otherwise like `explorePlan`
 */
export async function openPlan(facts: SubjectFacts, shard: string | undefined): Promise<OpenedPlan> {
  const { start, workers, instances, reset, apiPort } = facts;
  // Shards already run in parallel, so a shard starts no extra servers.
  if (shard !== undefined) {
    const plan = start === undefined ? explorePlan(ofWorker(facts), shard) : openPart(facts, shard);
    return { ...(await plan), crew: undefined };
  }
  if (workers !== undefined && workers > 1) checkWorkers(facts);
  const began = wallNow();
  const plan = await explorePlan(ofWorker(facts), undefined);
  const tookMs = wallNow() - began;
  const isSimple = instances === 1 && !reset && apiPort === undefined && worksOnCopy(facts);
  const isOwn = plan.subject.server?.isListening() ?? false;
  const fitting = isSimple && isOwn ? Math.min(availableParallelism(), MOST_SERVERS) : 1;
  const count = workers ?? fitting;
  return { ...plan, crew: count > 1 ? createCrew(facts, plan, { count, tookMs }) : undefined };
}

/** Stops a plan's servers and restores their database tables. */
export const closePlan = ({ subject, crew }: OpenedPlan): Promise<void> =>
  endAll([async () => crew?.close(), async () => subject.close()]);

/**
 * The plan for a shard. If another shard on this machine already uses the server's port, this server gets the next free
 * port.
 */
async function openPart(facts: SubjectFacts, shard: string): Promise<ExplorePlan> {
  const { index } = readShard(shard);
  for (let own = new URL(facts.url); ; own = await atNextPort(own)) {
    if (!(await isFree(...placeOf(own)))) continue;
    try {
      return await explorePlan(ofWorker(facts, index, own), shard);
    } catch (error) {
      // The other shard's server may have taken the port in the meantime.
      if (await isFree(...placeOf(own))) throw error;
    }
  }
}

/**
 * A plan's additional servers, each with its own free port and state.
 * @param tookMs how long the first server took to open, in real milliseconds
 */
function createCrew(
  facts: SubjectFacts,
  { timeout, stories }: ExplorePlan,
  { count, tookMs }: { count: number; tookMs: number },
): Crew {
  const isAsked = facts.workers !== undefined;
  const end = new AbortController();
  let opening: Promise<Subject[]> | undefined;
  let opened: readonly Subject[] = [];
  const own: SubjectFacts = {
    ...facts,
    signal: end.signal,
    ...(!isAsked && {
      startTimeout: Math.min(facts.startTimeout, LEAST_STARTS * tookMs + SECOND),
      elsewhere: ELSEWHERE_MS,
    }),
  };

  async function openAll(): Promise<Subject[]> {
    const ports = await freePorts(count - 1);
    const all = await Promise.allSettled(
      ports.map((port, at) => {
        const url = Object.assign(new URL(facts.url), { port: String(port) });
        return openSubject(ofWorker(own, at + 2, url), timeout, stories[0]?.by?.sender);
      }),
    );
    const subjects = all.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const failed = all.find((one) => one.status === "rejected");
    if (!failed || !isAsked) {
      opened = subjects;
      return subjects;
    }
    await endAll(subjects.map((one) => async () => one.close()));
    throw failed.reason;
  }

  return {
    isAsked,
    async open(calmMs, restarts) {
      const isWorthIt = calmMs + restarts * tookMs > Math.max(LEAST_MS, LEAST_STARTS * tookMs);
      if (end.signal.aborted || (!opening && !isAsked && !isWorthIt)) return [];
      opening ??= openAll();
      return opening;
    },
    opened: () => opened,
    async close() {
      if (end.signal.aborted) return;
      end.abort();
      const subjects = (await opening?.catch(() => [])) ?? [];
      await endAll(subjects.map((one) => async () => one.close()));
    },
  };
}

function checkWorkers({ start, state, reset, gate }: SubjectFacts): void {
  if (start === undefined)
    throw misuse(
      "subject.workers needs subject.start, because each worker starts its own server.",
      'For example: { "workers": 4, "start": "node server.mjs" }',
    );
  const shared = Object.entries({ state, reset }).find(
    // Each worker's server gets its own copy of the database.
    ([, text]) =>
      text && !isAddress(text) && !(isTables(text) && gate.length === 0) && !text.includes(WORKER),
  );
  if (shared)
    throw misuse(
      `The ${shared[0]} '${withoutPasswords(shared[1]!)}' would be the same for all workers, but each needs its own.`,
      `Use ${WORKER} for the worker's number: "start": "DATA=data-${WORKER} node server.mjs", "state": "cat data-${WORKER}/orders.json"`,
    );
}

const placeOf = ({ port, hostname }: URL): [port: number, host: string] => [
  Number(port || 80),
  hostname.replace(/^\[|\]$/g, ""),
];

async function atNextPort(url: URL): Promise<URL> {
  const [taken, host] = placeOf(url);
  const port = await nextFree(taken, host);
  if (port === undefined)
    throw invalidState(
      `No port above ${taken} is free for another server.`,
      "Use an address with a different port.",
    );
  return Object.assign(new URL(url), { port: String(port) });
}
