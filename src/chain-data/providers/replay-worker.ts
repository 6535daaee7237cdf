import timers from "node:timers";
import { parentPort } from "node:worker_threads";
import type Nock from "nock";
import { SandboxError } from "../../errors/errors.ts";
import { type Definition, type Recordings, readRecordings } from "./recordings.ts";
import type { ReplayAnswer, ReplayCall, ReplayMessage, ReplayReply } from "./replay.ts";

/**
 * The thread that replays recordings. nock patches its thread's HTTP modules. In this separate thread it cannot affect
 * other requests, and it is active only during a call.
 */
const CALL_HEADER = "x-sandglass-call";
/** The response to a call without a recording. */
const NOT_RECORDED: ReplayAnswer = { status: 404, body: '{"message":"Not found"}' };

// nock uses 0 ms timers, each of which takes a millisecond or two: half of a call's time.
const wait = timers.setTimeout;
timers.setTimeout = ((run: () => void, ms?: number) =>
  ms ? wait(run, ms) : timers.setImmediate(run)) as typeof timers.setTimeout;
const { default: nock } = await import("nock");

const indexes = new Map<string, Recordings>();
let underWay = 0;

nock.restore();
nock.disableNetConnect();
parentPort!.on("message", async (message: ReplayMessage) => parentPort!.postMessage(await reply(message)));

async function reply(message: ReplayMessage): Promise<ReplayReply> {
  const { id, call, recordings } = message;
  try {
    return { id, result: call ? await replay(call, message) : recordingsOf(recordings).addresses() };
  } catch (error) {
    const hint = error instanceof SandboxError ? error.hint : "Please report it.";
    return { id, problem: { message: (error as Error).message, hint } };
  }
}

function recordingsOf(sources: readonly string[]): Recordings {
  const name = sources.join("\n");
  let recordings = indexes.get(name);
  if (!recordings) {
    recordings = readRecordings(sources);
    indexes.set(name, recordings);
  }
  return recordings;
}

/** Replays one request's recording through nock. A header distinguishes concurrent calls. */
async function replay(call: ReplayCall, { id, recordings }: ReplayMessage): Promise<ReplayAnswer> {
  const url = new URL(call.url);
  const recorded = findDefinition(call, url, recordings);
  if (!recorded) return NOT_RECORDED;
  const headers = { [CALL_HEADER]: String(id) };
  if (underWay === 0) nock.activate();
  underWay += 1;
  const path = url.pathname + url.search;
  const definition = { ...recorded, scope: url.origin, method: "GET", path, reqheaders: headers };
  nock.define([definition as Nock.Definition]);
  try {
    const response = await fetch(url, { headers, redirect: "manual" });
    return { status: response.status, body: await response.text() };
  } finally {
    underWay -= 1;
    if (underWay === 0) {
      nock.cleanAll();
      nock.restore();
    }
  }
}

function findDefinition(call: ReplayCall, url: URL, sources: readonly string[]): Definition | undefined {
  const { definition, unlessRecorded: address } = call.instead ?? {};
  const isReplaced =
    definition !== undefined && (address === undefined || !recordingsOf(sources).knows(address));
  return isReplaced ? (definition ?? undefined) : recordingsOf(sources).find("GET", url);
}
