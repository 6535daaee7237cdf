import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FROM_SOURCE } from "../runtime/package.ts";
import { SHIPPED_SCENARIOS } from "./files.ts";
import type { ScenarioInfo } from "./shape.ts";

/** What the shipped scenarios are, by the names of their files, as the build read them: they never change. */
export const SHIPPED_INFO = "shipped.json";

/** That, or undefined where the sources run. */
export function readShippedInfo(): Record<string, ScenarioInfo> | undefined {
  const path = join(SHIPPED_SCENARIOS, SHIPPED_INFO);
  return FROM_SOURCE || !existsSync(path) ? undefined : JSON.parse(readFileSync(path, "utf8"));
}
