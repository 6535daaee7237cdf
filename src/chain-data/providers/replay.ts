import { invalidConfig } from "../../errors/errors.ts";
import { FROM_SOURCE, inPackage, startThread } from "../../runtime/package.ts";
import { UpstreamFailure } from "./provider.ts";
import type { Definition, RecordedAddress } from "./recordings.ts";

/** A request to be replayed from recordings. */
export interface ReplayCall {
  url: string;
  /**
   * A response that replaces the recordings, unless they contain that address. Null means that nothing counts as
   * recorded.
   */
  instead?: { definition: Definition | null; unlessRecorded?: string };
}

export interface ReplayAnswer {
  status: number;
  body: string;
}

const BUILT_IN_RECORDINGS = inPackage(FROM_SOURCE ? "fixtures/recordings/" : "dist/recordings.json.gz");

const REPLAY_WORKER = { source: "src/chain-data/providers/replay-worker.ts", built: "dist/replay-worker.js" };

/** A message to the thread: a call, or a query for the recorded addresses if there is no call. */
export interface ReplayMessage {
  id: number;
  recordings: readonly string[];
  call?: ReplayCall;
}

export interface ReplayReply {
  id: number;
  result?: ReplayAnswer | RecordedAddress[];
  problem?: { message: string; hint: string };
}

export type Replay = ReturnType<typeof startReplay>;

/**
 * Starts the thread that replays recordings. It does not keep the process alive.
 * @param ended called once, after the thread has exited
 */
export function startReplay(ended: () => void) {
  const waiting = new Map<number, PromiseWithResolvers<ReplayReply>>();
  let cause: Error | undefined;
  let lastId = 0;
  // Isolate the thread from the user's process, including its environment variables.
  const worker = startThread(REPLAY_WORKER, { env: {} });
  worker.unref();
  worker.on("message", (reply: ReplayReply) => {
    waiting.get(reply.id)?.resolve(reply);
    waiting.delete(reply.id);
  });
  worker.on("error", (error) => end(error));
  worker.on("exit", () => end(new Error("it ended")));

  function end(error: Error): void {
    if (cause) return;
    cause = error;
    ended();
    for (const { reject } of waiting.values()) reject(gone(error));
    waiting.clear();
  }

  async function ask<Result>(sources: readonly string[], call?: ReplayCall): Promise<Result> {
    if (cause) throw gone(cause);
    lastId += 1;
    const message: ReplayMessage = { id: lastId, recordings: [...sources, BUILT_IN_RECORDINGS] };
    const reply = Promise.withResolvers<ReplayReply>();
    waiting.set(lastId, reply);
    worker.postMessage({ ...message, call });
    const { result, problem } = await reply.promise;
    if (problem) throw invalidConfig(problem.message, problem.hint);
    return result as Result;
  }

  return {
    /** @param sources files and folders that take precedence over the built-in recordings */
    send: (call: ReplayCall, sources: readonly string[]) => ask<ReplayAnswer>(sources, call),
    addresses: (sources: readonly string[]) => ask<RecordedAddress[]>(sources),
    close: async (): Promise<void> => void (await worker.terminate()),
  };
}

const gone = (why: Error) =>
  new UpstreamFailure("unreachable", `The thread that replays recordings stopped: ${why.message}.`);
