import type { Deviation } from "./deviation.ts";

/** A deploy between two requests. After the last request, only in-memory state could be affected. */
export const restart: Deviation = {
  name: "restart",
  server: "restarted",
  isPossible: (attempts, at) => at + 1 < attempts.length,
  restsOn: [],
  encounter: { end: ({ server }) => server!.restart() },
  line: ({ answered }) => `${answered}, then the server is restarted`,
  sentence: ({ sent, speech: { nameOf } }) =>
    `The server is restarted after it responded to ${nameOf(sent)}.`,
};
