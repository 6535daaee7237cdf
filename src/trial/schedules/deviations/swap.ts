import type { Deviation } from "./deviation.ts";
import { isUnordered, metWords } from "./shared.ts";

/** Requests sent at the same time may arrive in any order. */
export const swap: Deviation = {
  name: "swap",
  canHappenIn: isUnordered,
  meets: "in turn",
  line: ({ answered, at, sent: { beside } }) =>
    `${answered}, ${beside === at + 1 ? "after the next one" : `${beside! > at ? "after" : "before"} ${beside! + 1}`}`,
  sentence(parts) {
    const { sent, at, speech } = parts;
    const name = speech.nameOf(sent);
    return `${name} and ${metWords(parts)} are sent at the same instant, and ${name} arrives ${sent.beside! > at ? "last" : "first"}.`;
  },
};
