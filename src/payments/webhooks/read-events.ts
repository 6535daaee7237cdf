import { invalidField } from "../errors.ts";

/**
 * Checks what an endpoint subscribes to: event types, or `*` alone.
 * @param known the types that its sender has
 * @returns the types, each once
 * @throws PlatformError invalid_field_value on events
 */
export function readEvents(events: readonly string[], known: readonly string[]): string[] {
  if (events.length === 0)
    throw invalidField("events", 'events must name at least one event type, or be ["*"].');
  const unknown = events.find((event) => event !== "*" && !known.includes(event));
  if (unknown !== undefined)
    throw invalidField(
      "events",
      `events has the unknown type '${unknown.slice(0, 60)}'; it must be one of ${known.join(", ")} and *.`,
    );
  if (events.includes("*") && events.length > 1)
    throw invalidField("events", "events must be the single value * or a list of event types, not both.");
  return [...new Set(events)];
}
