import { type CheckOptions, checkSubscriber } from "../../../src/trial/check/check.ts";
import type { CheckReport } from "../../../src/trial/check/report.ts";
import { SECRET, type Started } from "./start.ts";

const PLAN = {
  seed: "receivers",
  at: Date.UTC(2026, 5, 1, 12),
  event: "payment.completed",
  headerPrefix: "X-Platform-",
  deliveryId: "attempt",
} as const;

/** Runs `check` against a handler. */
export async function tryReceiver(
  { url, stateUrl }: Started,
  { state = false, ...options }: Partial<CheckOptions> & { state?: boolean } = {},
): Promise<CheckReport> {
  return checkSubscriber({
    ...PLAN,
    url,
    secret: SECRET,
    timeout: 10_000,
    stateUrl: state ? stateUrl : undefined,
    ...options,
  });
}

/** The hazards grouped by verdict, without those that passed. */
export function verdictsOf({ hazards }: CheckReport): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { name, verdict } of hazards)
    if (verdict !== "pass") found[verdict] = [...(found[verdict] ?? []), name];
  return found;
}
