import { ANSWER_LOST } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { againWords } from "./shared.ts";

/** The network can lose any response. */
export const answerLost: Deviation = {
  name: "answer-lost",
  seenAs: "failure",
  carry: ({ arrive, settle }) => arrive(() => settle(ANSWER_LOST)),
  line: ({ answered }) => `${answered}, but the response is lost`,
  sentence: (parts) =>
    `${parts.speech.nameOf(parts.sent)} arrives twice: the first response is lost${againWords(parts)}.`,
  isLoss: true,
};
