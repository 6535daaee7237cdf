import type { SendResult } from "../../webhooks/exchange.ts";
import { wallSleep } from "../../world/clock.ts";
import type { StoryApi } from "../subject/api.ts";
import { noteAnswer, type SentAttempt } from "./attempt.ts";
import type { Arrival } from "./transmitter.ts";

/** How long to wait for a request whose handler may itself wait for the stalled request, in real milliseconds. */
const PATIENCE_MS = 250;

/** Makes a handler wait for an answer of the API until another request has been handled. */
export function createStall(
  api: StoryApi | undefined,
  transmit: (step: readonly Arrival[], node: object) => Promise<SendResult[]>,
  sentOf: (arrival: Arrival) => SentAttempt,
) {
  let stalled: { arrival: Arrival; result: Promise<SendResult[]> } | undefined;
  return {
    /** Sends a request. Resolves once its handler waits for the API, or has answered without it. */
    async begin(arrival: Arrival): Promise<void> {
      api!.disturb("slow");
      stalled = { arrival, result: transmit([arrival], {}) };
      await Promise.race([api!.held(), stalled.result]);
      api!.disturb(undefined);
    },

    /** Lets the handler continue once the other requests have been handled. */
    async endAfter<Results>(others: Promise<Results>): Promise<Results> {
      if (!stalled) return others;
      const { arrival, result } = stalled;
      stalled = undefined;
      // If the server handles one request at a time, the others wait for the stalled request.
      await Promise.race([others, wallSleep(PATIENCE_MS)]);
      api!.release();
      noteAnswer(sentOf(arrival), (await result)[0]!);
      return others;
    },
  };
}
