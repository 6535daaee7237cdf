import { outsideWords } from "../../trial/outside/words.ts";
import type { Subject } from "../../trial/subject/subscriber.ts";
import { note } from "../output.ts";

/** Prints which requests a started server sent to other machines, for commands whose report does not include them. */
export function noteOutside({ outside }: Pick<Subject, "outside">): void {
  const { places, notes } = outsideWords(outside?.report() ?? null);
  if (places.length > 0) note("Outside this machine");
  for (const line of [...places.map((place) => `  ${place}`), ...notes]) note(line);
}
