import type { RecordedAddress } from "./recordings.ts";
import type { Replay, ReplayAnswer, ReplayCall } from "./replay.ts";

/** The way out to providers: recordings, or real HTTP. One for a server; what it needs is loaded when it is used. */
export interface Upstream {
  /**
   * Answers a call from recordings.
   * @param sources files and folders that are looked at before the built-in ones
   * @throws UpstreamFailure, SandboxError `invalid_config` for recordings that cannot be read
   */
  replay(call: ReplayCall, sources: readonly string[]): Promise<ReplayAnswer>;
  /**
   * Makes a real call.
   * @throws UpstreamFailure
   */
  send(url: string, headers: Readonly<Record<string, string>>, timeout: number): Promise<ReplayAnswer>;
  /** The addresses that the recordings have tokens of. */
  recordedAddresses(sources: readonly string[]): Promise<RecordedAddress[]>;
  close(): Promise<void>;
}

export function createUpstream(): Upstream {
  let replay: Promise<Replay> | undefined;
  let live: Promise<ReturnType<typeof import("./live.ts").createLive>> | undefined;
  const replaying = () => {
    replay ??= import("./replay.ts").then(({ startReplay }) =>
      startReplay(() => {
        replay = undefined;
      }),
    );
    return replay;
  };

  return {
    replay: async (call, sources) => (await replaying()).send(call, sources),
    async send(url, headers, timeout) {
      live ??= import("./live.ts").then(({ createLive }) => createLive());
      return (await live).send(url, headers, timeout);
    },
    recordedAddresses: async (sources) => (await replaying()).addresses(sources),
    async close() {
      await Promise.all([replay?.then((thread) => thread.close()), live?.then((agent) => agent.close())]);
    },
  };
}
