import { wrap } from "../timeline/text.ts";
import type { CheckOptions } from "../trial/check/check.ts";
import { NAME_WIDTH, verdictColor } from "../trial/check/lines.ts";
import type { HazardResult } from "../trial/check/report.ts";
import type { Hazard } from "../trial/hazards/hazard.ts";
import { clearPassing, columns, fields, paint, passing, print, printable } from "./output.ts";

const VERDICT_WIDTH = "skipped".length;
const PROSE_WIDTH = 96;

/** Prints a line for each hazard as it ends; on a terminal also the current one. */
export function createProgress({
  url,
  event,
  sender,
  secretFrom = "",
}: Pick<CheckOptions, "url" | "event" | "sender" | "secretFrom">) {
  let begun = false;
  // A secret that comes from a file is easily overlooked.
  const signedWith = /^webhooks\.secret/.test(secretFrom) ? `, signed with ${secretFrom}` : "";
  return {
    started: (name: string): void => passing(`${"…".padEnd(VERDICT_WIDTH)}  ${name}`),

    ended({ verdict, name, summary }: HazardResult): void {
      // Skipped hazards are printed together, below.
      if (verdict === "skipped") return;
      clearPassing();
      // Not earlier: one line is enough for a subscriber that does not answer.
      if (!begun)
        print(paint.dim(`${printable(url)}, ${sender ? `${sender.name} ` : ""}${event}${signedWith}`));
      begun = true;
      const painted = { text: verdict.padEnd(VERDICT_WIDTH), color: verdictColor(verdict, paint) };
      print(columns([[painted, name.padEnd(NAME_WIDTH), summary]])[0]!);
    },
  };
}

export function hazardList(hazards: readonly Hazard[]): string[] {
  return hazards.flatMap(({ name, title, why }) => [
    ...fields([[name.padEnd(NAME_WIDTH), title]]),
    ...wrap(printable(why), PROSE_WIDTH).map((line) => `  ${line}`),
    "",
  ]);
}
