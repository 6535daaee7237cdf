import type { Served } from "../../server/serve.ts";
import { note } from "../output.ts";

/** Prints which of the data folder's worlds could not be opened, and where their data is. */
export function noteUnopened({ worlds, sandbox }: Served): void {
  for (const { name, problem, kept_as: file } of worlds.unopened) {
    const isDefault = name === sandbox.world.name;
    note(
      isDefault
        ? `The ${name} world could not be opened, so a new one was started instead. ${problem}`
        : `The world ${name} could not be opened; the server runs without it. ${problem}`,
    );
    const wayOut = isDefault ? " To go back to a snapshot: npx sandglass snapshot restore <name>." : "";
    note(`  Its data is stored as ${file}.${wayOut}`);
  }
}
