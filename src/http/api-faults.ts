import type { FastifyRequest } from "fastify";
import { wallSleep } from "../world/clock.ts";
import type { FaultPlan } from "../world/faults.ts";
import type { World } from "../world/world.ts";
import { calledMethod } from "./address.ts";

/** How an area's API is made to fail or lag. Contract: "Control API". */
export interface ApiFault extends FaultPlan {
  /** The status to answer instead. */
  status?: number;
  /** Real milliseconds to wait before the call goes on. */
  latency?: number;
  /** Which calls: a method, a path (with * for any text), or both: `POST /payment-links*`. All when absent. */
  match?: string;
}

export const apiFaultTarget = (area: string): string => `api:${area}`;

/**
 * Applies the fault of an area to a call: waits its latency.
 * @param paths the path below the area's base, without query; with another name of it, where it has two
 * @returns the status to answer instead, if any
 */
export async function applyApiFault(
  world: World,
  area: string,
  request: FastifyRequest,
  ...paths: string[]
): Promise<number | undefined> {
  const target = apiFaultTarget(area);
  const active = world.faults.get(target);
  if (!active) return undefined;
  const { match } = active.spec as ApiFault;
  if (!paths.some((path) => matches(match, calledMethod(request), path))) return undefined;
  const spec = world.faults.take(target)?.spec as ApiFault | undefined;
  if (!spec) return undefined;
  if (spec.latency) await wallSleep(spec.latency);
  return spec.status;
}

/** Whether a call is meant by a fault's `match`. */
export function matches(pattern: string | undefined, method: string, path: string): boolean {
  if (pattern === undefined) return true;
  const parts = pattern.trim().split(/\s+/);
  const wantedMethod = /^[A-Z]+$/.test(parts[0]!) ? parts.shift() : undefined;
  if (wantedMethod !== undefined && wantedMethod !== method) return false;
  const wantedPath = parts[0];
  if (wantedPath === undefined) return true;
  const expression = wantedPath
    .split("*")
    .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^(?:/api/v1)?${expression}$`).test(path);
}
