import { outageSentence } from "../../../timeline/outage.ts";
import { LOST } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { canBeResent, RETRIES } from "./shared.ts";

/** A subscriber can go down at any attempt and stay down for as long as the platform retries. */
export const outage: Deviation = {
  name: "outage",
  scope: "until-recovery",
  seenAs: "outage",
  canHappenIn: canBeResent,
  restsOn: ["disable", "resend", ...RETRIES],
  carry: ({ settle }) => settle(LOST),
  line: () => "lost: the subscriber is down",
  sentence({ run: { attempts, recovery }, sent: { at: from } }) {
    const until = attempts[recovery ?? -1]?.at ?? from;
    return outageSentence(until - from);
  },
  isLoss: true,
};
