import { isUtf8 } from "node:buffer";
import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { readRegularFile } from "../runtime/regular-file.ts";
import type { Mistakes } from "../schema/mistakes.ts";
import { readJson } from "../webhooks/body-text.ts";
import type { SenderFacts } from "../webhooks/sender-file.ts";

/** The maximum size of a body. Typical bodies are a few kilobytes. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** An event in a sender file: the path of its body, or the body itself. */
type WrittenEvent = string | { body: object | string } | { form: object };

/**
 * Reads each type's example body exactly as it is sent.
 * @param folder the folder of the sender's file, to which body paths are relative; null for a packaged sender
 */
export function readBodies(
  events: Record<string, WrittenEvent>,
  folder: string | null,
  mistakes: Mistakes,
): SenderFacts["events"] {
  return Object.fromEntries(
    Object.entries(events).map(([type, event]) => {
      const field = `events.${type}`;
      if (typeof event === "string")
        return [type, folder === null ? { packaged: event } : readBody(event, field, folder, mistakes)];
      if ("form" in event)
        return [type, String(new URLSearchParams(Object.entries(event.form).map(fieldOf)))];
      const { body } = event;
      if (typeof body !== "string") return [type, JSON.stringify(body)];
      if (readJson(body) === undefined) mistakes.add(`${field}.body`, "an object, or JSON in a string", body);
      return [type, body];
    }),
  );
}

/** JSON in a form field may be given as a value or as a string. */
const fieldOf = ([name, value]: [string, unknown]): [string, string] => [
  name,
  typeof value === "string" ? value : JSON.stringify(value),
];

/** Whether a file exists in a folder, and no link on its path leads out of that folder. */
export const isBeside = (path: string, folder: string): boolean =>
  existsSync(path) && realpathSync(path).startsWith(realpathSync(folder) + sep);

function readBody(file: string, field: string, folder: string, mistakes: Mistakes): string {
  const path = resolve(folder, file);
  const refuse = (expected: string): string => {
    mistakes.add(field, expected, file);
    return "{}";
  };
  // Reject other paths: a sender's file may come from a cloned repository, and its bodies are sent and displayed.
  if (!isBeside(path, folder))
    return refuse(
      "a JSON file next to the sender's file or in a subfolder, and not a link to a file outside that folder",
    );
  const bytes = readRegularFile(path, file, MOST_BYTES, "invalid_config");
  if (!isUtf8(bytes)) return refuse("a file in UTF-8");
  const text = new TextDecoder().decode(bytes);
  return readJson(text) ? text : refuse("a file with a JSON object, or a list of objects");
}
