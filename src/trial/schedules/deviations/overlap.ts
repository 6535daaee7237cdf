import { listed } from "../../../timeline/text.ts";
import type { Deviation } from "./deviation.ts";
import { isUnordered, RETRIES } from "./shared.ts";

/**
 * Requests sent at the same time arrive together or almost together.
 * @param headStart real milliseconds by which a request precedes the next one
 */
const overlapping = (name: string, headStart: number): Deviation => {
  const earlier = headStart > 0 ? `${headStart} ms earlier` : undefined;
  return {
    name,
    isOutside: true,
    canHappenIn: isUnordered,
    ...(earlier !== undefined && { isAlone: true }),
    restsOn: earlier === undefined ? [] : RETRIES,
    meets: "together",
    carry: ({ hold, settle }) => hold(settle, headStart),
    line: ({ answered, together }) =>
      together === "" ? undefined : answered + together + (earlier === undefined ? "" : `, ${earlier}`),
    sentence({ run, sent, speech: { nameOf } }) {
      const event = nameOf(sent);
      const others = sent.overlaps.map((index) => nameOf(run.attempts[index]!));
      const together = `${listed([event, ...others])} are processed at the same time`;
      return earlier === undefined ? `${together}.` : `${together}: ${event} arrives ${earlier}.`;
    },
  };
};

export const overlap = overlapping("overlap", 0);
export const overlap5 = overlapping("overlap-5", 5);
export const overlap30 = overlapping("overlap-30", 30);
export const overlap100 = overlapping("overlap-100", 100);
