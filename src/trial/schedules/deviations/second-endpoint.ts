import type { Deviation } from "./deviation.ts";

/** Whether a URL is registered twice, so that each event is sent to it by two endpoints. */
export const secondEndpoint: Deviation = {
  name: "second-endpoint",
  scope: "beginning",
  seenAs: "second-endpoint",
  // A story of one's own has the endpoint that it registers. Two endpoints of a sender may have no id in common by which a
  // handler could tell the copies.
  canHappenIn: ({ by, settingsFor }) => !by && !settingsFor,
  copies: "all",
  begin: ({ registerAgain }) => registerAgain(),
  sentence: () =>
    "The URL is registered twice, so each event is sent to it by two endpoints, under another delivery id each.",
};
