import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { type Figure, pathOf, timed } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");

/** Measures all the shipped scenarios, which span several days, as a user runs them. */
export async function scenarios(): Promise<Figure> {
  const ran = await timed(
    () =>
      new Promise<void>((resolve, reject) => {
        // Run this in a folder that contains no scenarios.
        const program = spawn(process.execPath, [CLI, "run", "--json"], { cwd: tmpdir(), stdio: "ignore" });
        program.once("error", reject);
        program.once("exit", (code) =>
          code === 0 ? resolve() : reject(new Error(`sandglass run ended with ${code}`)),
        );
      }),
  );
  return { name: "sandglass run of all shipped scenarios", unit: "ms", ours: ran, limit: { most: 10_000 } };
}
