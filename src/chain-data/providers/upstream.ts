import { type LoadedOnce, loadOnce } from "../../runtime/load-once.ts";
import type { RecordedAddress } from "./recordings.ts";
import type { Replay, ReplayAnswer, ReplayCall } from "./replay.ts";

/**
 * Access to providers through recordings or real HTTP. There is one instance per server, which loads its parts on first
 * use.
 */
export interface Upstream {
  /**
   * Responds to a call from the recordings.
   * @param sources files and folders that take precedence over the built-in ones
   * @throws UpstreamFailure, SandboxError `invalid_config` for recordings that cannot be read
   */
  replay(call: ReplayCall, sources: readonly string[]): Promise<ReplayAnswer>;
  /** Makes a real call. @throws UpstreamFailure */
  send(url: string, headers: Readonly<Record<string, string>>, timeout: number): Promise<ReplayAnswer>;
  recordedAddresses(sources: readonly string[]): Promise<RecordedAddress[]>;
  close(): Promise<void>;
}

export function createUpstream(): Upstream {
  const replay: LoadedOnce<Replay> = loadOnce(async () =>
    (await import("./replay.ts")).startReplay(replay.forget),
  );
  const live = loadOnce(async () => (await import("./live.ts")).createLive());
  return {
    replay: async (call, sources) => (await replay.get()).send(call, sources),
    send: async (url, headers, timeout) => (await live.get()).send(url, headers, timeout),
    recordedAddresses: async (sources) => (await replay.get()).addresses(sources),
    async close() {
      await Promise.all([
        replay.started?.then((thread) => thread.close()),
        live.started?.then((agent) => agent.close()),
      ]);
    },
  };
}
