import { href } from "../router.ts";
import { type Data, text, type Words, webhook } from "./words.ts";

/** Where a fault is: on a subscriber, a provider, or an area of the API. */
function target(data: Data): string | undefined {
  const [kind, id] = text(data.target).split(":");
  if (kind === "webhook" && id) return webhook(id);
  return kind === "provider" ? href(["data", "providers"]) : undefined;
}

/** What a person did to the sandbox itself. */
export const SANDBOX_WORDS: Words = {
  "fault.set": (data) => ({ title: "Fault set", detail: text(data.target), href: target(data) }),
  "fault.cleared": (data) => ({ title: "Fault lifted", detail: text(data.target), href: target(data) }),
  "world.reset": (data) => ({ title: "World reset", detail: `seed ${text(data.seed)}` }),
  "world.stopped": (data) => ({
    title: "World stopped: it cannot go on",
    tone: "bad",
    detail: text(data.reason),
    href: href(["snapshots"]),
  }),
  "world.restored": (data) => ({
    title: "World restored",
    detail: text(data.snapshot),
    href: href(["snapshots"]),
  }),
  "world.not_opened": (data) => ({
    title: `World ${text(data.world)} could not be opened`,
    detail: text(data.problem),
    tone: "bad",
  }),
};
