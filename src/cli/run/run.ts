import { prepareThread } from "../../scenarios/threads.ts";
import type { Invocation } from "../command.ts";
import type { RunFlags } from "./scenarios.ts";

export async function run(call: Invocation<RunFlags>): Promise<number> {
  // Start the first scenario's thread while the server loads.
  prepareThread();
  if (call.options.watch && !call.options.list) {
    const { runAgain } = await import("./again.ts");
    return runAgain(call);
  }
  const { runScenarios } = await import("./scenarios.ts");
  return runScenarios(call);
}
