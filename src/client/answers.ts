import { OPERATIONS } from "../operations/index.ts";
import type { OperationName } from "./calls.ts";

/** What operations answer with, as JSON Schema: the build writes it here as data, for the tools of coding agents alone. */
export const ANSWERS = Object.fromEntries(
  OPERATIONS.map(({ name, answer }) => [name, (answer as { properties?: object } | undefined)?.properties]),
) as Record<OperationName, Readonly<Record<string, object>>>;
