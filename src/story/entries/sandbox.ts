import { text, type Words } from "./words.ts";

/** What a person did to the sandbox itself. */
export const SANDBOX_WORDS: Words = {
  "fault.set": (data) => ({ title: `Fault set on ${text(data.target)}`, detail: text(data.spec) }),
  "fault.cleared": (data) => ({ title: `Fault cleared on ${text(data.target)}` }),
  "world.reset": (data) => ({ title: "World reset", detail: `seed ${text(data.seed)}` }),
  "world.restored": (data) => ({ title: "World restored", detail: text(data.snapshot) }),
  "world.stopped": (data) => ({ title: "World stopped", tone: "bad", detail: text(data.reason) }),
  "world.not_opened": (data) => ({
    title: `World ${text(data.world)} could not be opened`,
    tone: "bad",
    detail: text(data.problem),
  }),
};
