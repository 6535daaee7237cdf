import { type CheckOptions, checkReceiver } from "../../../src/check/check.ts";
import { type Material, makeMaterial } from "../../../src/check/material.ts";
import type { CheckReport } from "../../../src/check/report.ts";
import { SECRET, type Started } from "./start.ts";

const PLAN = {
  seed: "receivers",
  at: Date.UTC(2026, 5, 1, 12),
  event: "payment.completed",
  headerPrefix: "X-Platform-",
  deliveryId: "attempt",
} as const;

let events: Promise<Material> | undefined;
let others: Promise<Material> | undefined;

/** Checks a receiver. The events are made once for all tests of a file. */
export async function tryReceiver(
  { url, stateUrl }: Started,
  { state = false, ...options }: Partial<CheckOptions> & { state?: boolean } = {},
): Promise<CheckReport> {
  events ??= makeMaterial(PLAN);
  return checkReceiver({
    ...PLAN,
    url,
    secret: SECRET,
    timeout: 10_000,
    material: {
      events: await events,
      others() {
        others ??= makeMaterial({ ...PLAN, seed: "second tries" });
        return others;
      },
    },
    stateUrl: state ? stateUrl : undefined,
    ...options,
  });
}

/** The hazards that have a verdict, by verdict; those that pass are left out. */
export function verdictsOf({ hazards }: CheckReport): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { name, verdict } of hazards)
    if (verdict !== "pass") found[verdict] = [...(found[verdict] ?? []), name];
  return found;
}
