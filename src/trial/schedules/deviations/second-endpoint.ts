import type { Deviation } from "./deviation.ts";

/** The URL is registered as two endpoints, so each event is delivered to it twice. */
export const secondEndpoint: Deviation = {
  name: "second-endpoint",
  scope: "beginning",
  seenAs: "second-endpoint",
  // A scenario registers its own endpoint. A sender's copies for two endpoints may have no common id by which a handler
  // could recognise them.
  canHappenIn: ({ by, settingsFor }) => !by && !settingsFor,
  begin: ({ registerAgain }) => registerAgain(),
  sentence: () =>
    "The URL is registered twice, so each event is sent to it by two endpoints, with a different delivery id each time.",
};
