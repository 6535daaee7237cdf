import { wallSleep } from "../../../world/clock.ts";
import { ANSWER_LOST } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { againWords, ONE_TRANSACTION } from "./shared.ts";

/** A subscriber that works longer is killed halfway. Of a quicker one the middle cannot be hit, so it is killed before its answer is out. */
const QUICK_MS = 100;

/** A process can be killed at any moment, and is started again. The answers are lost, if there were any. */
export const crash: Deviation = {
  name: "crash",
  server: "killed",
  copies: "one",
  seenAs: "failure",
  encounter: {
    async interrupt({ server }, done, usual) {
      await (usual > QUICK_MS ? wallSleep(usual / 2) : done);
      await server!.crash();
      await done;
      return ANSWER_LOST;
    },
  },
  line: () => "the server is killed while it handles the request",
  sentence: (told) =>
    `The server is killed while it handles ${told.speech.nameOf(told.sent)}${againWords(told)}.`,
  advice: ONE_TRANSACTION,
};
