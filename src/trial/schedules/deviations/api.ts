import { TOO_LATE } from "../attempt.ts";
import type { Attempt, Deviation } from "./deviation.ts";

const isCalled = (attempts: readonly Attempt[], at: number): boolean => attempts[at]!.calls > 0;

/** Any API call can be refused, or fail. */
const refusing = (name: string, status: 429 | 500): Deviation => ({
  name,
  isPossible: isCalled,
  keepsFromWork: true,
  encounter: { begin: ({ api }) => api!.disturb(status) },
  line: ({ answered }) => `${answered}, and the API answered its call with ${status}`,
  sentence: ({ sent }) => `The API answers ${status} to a call that the handler makes for ${sent.event}.`,
});

export const api429 = refusing("api-429", 429);
export const api500 = refusing("api-500", 500);

/** Any API call can be answered late. */
export const apiSlow: Deviation = {
  name: "api-slow",
  isPossible: isCalled,
  async carry({ stall, settle }) {
    await stall();
    settle(TOO_LATE);
  },
  line: () => "time-out, as the API has not answered its call yet",
  sentence: ({ sent }) =>
    `The API answers a call for ${sent.event} as things are then, but the answer arrives only after the next request.`,
};
