import { didYouMean } from "../errors/closest.ts";
import { misuse, notFound } from "../errors/errors.ts";
import type { Sender } from "../library/index.ts";

type ListedSender = Pick<Sender, "name" | "events" | "stories" | "in_use">;

/**
 * Finds the active sender that has an event or story, for calls without a sender.
 * @throws SandboxError `not_found`; `bad_request` if several senders have it
 */
export function senderOf(
  type: string,
  senders: readonly ListedSender[],
  kind: "event" | "story" = "event",
): string {
  const used = senders.filter(({ in_use }) => in_use);
  const namesOf = ({ events, stories }: ListedSender) =>
    kind === "story" ? stories.map(({ name }) => name) : events.map((event) => event.type);
  const able = used.filter((sender) => namesOf(sender).includes(type));
  if (able.length === 1) return able[0]!.name;
  const names = able.map(({ name }) => name);
  if (able.length > 1)
    throw misuse(`${names.join(" and ")} both have the ${kind} ${type}.`, {
      command: `Choose one with --sender ${names[0]}.`,
      library: `Choose one: sandbox.send("${type}", data, { sender: "${names[0]}" })`,
      http: `Choose one: POST /_sandbox/senders/${names[0]}/events`,
    });
  const known = used.flatMap(namesOf);
  const start = "Start the sandbox with a sender that defines it: npx sandglass --sender stripe";
  throw notFound(
    used.length === 0
      ? `No sender is in use, so there is no ${kind} ${type}.`
      : `There is no ${kind} ${type} in ${used.map(({ name }) => name).join(", ")}.`,
    didYouMean(type, known, known.length > 0 ? `Available: ${known.join(", ")}.` : start),
  );
}
