import { TOO_LATE } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { RETRIES } from "./shared.ts";

/** Any subscriber may need longer than the time-out. It works on, and the next request arrives meanwhile. */
export const slow: Deviation = {
  name: "slow",
  isOutside: true,
  restsOn: ["timeout", ...RETRIES],
  seenAs: "timeout",
  carry({ hold, settle }) {
    hold(() => undefined);
    settle(TOO_LATE);
  },
  line: () => "time-out, still in progress",
  sentence({ run: { attempts }, sent, speech: { nameOf } }) {
    const other = attempts[sent.overlaps[0] ?? -1];
    const next = !other ? "the next request" : other.eventId === sent.eventId ? "its retry" : nameOf(other);
    return `${nameOf(sent)} is still in progress when ${next} arrives, because its answer takes longer than the time-out.`;
  },
};
