import type { FastifyRequest } from "fastify";
import { misuse } from "../errors/errors.ts";
import { checkPatternLength, fitsWildcard } from "../runtime/wildcard.ts";
import { wallSleep } from "../world/clock.ts";
import type { FaultPlan } from "../world/faults.ts";
import type { World } from "../world/world.ts";
import { calledMethod, cameInside } from "./address.ts";
import type { App } from "./types.ts";

/** How an area's API fails or slows down. See docs/guide/faults.md, "The API itself". */
export interface ApiFault extends FaultPlan {
  /** The status of the simulated response. */
  status?: number;
  /** Real milliseconds to wait before handling the call. */
  latency?: number;
  /**
   * Which calls are affected: a method, a path (`*` matches any characters), or both, as in `POST /payment-links*`. By
   * default, all calls.
   */
  match?: string;
}

export const apiFaultTarget = (area: string): string => `api:${area}`;

export const faultHeaders = (status: number): Record<string, string> => ({
  "x-sandbox-fault": "api",
  ...(status === 429 ? { "retry-after": "60" } : {}),
});

export interface FaultedCalls {
  world: (request: FastifyRequest) => World;
  /** The forms of a call's path to compare with a fault's `match`: below the area, without the query. */
  paths: (request: FastifyRequest) => string[];
  error: (status: number) => Error;
}

/** Registers the hook that delays or fails an area's calls. */
export function meetApiFaults(app: App, area: string, { world, paths, error }: FaultedCalls): void {
  const target = apiFaultTarget(area);
  // Use a callback: every call goes through this hook, and a promise would cost more than the hook's own work.
  app.addHook("onRequest", (request, _reply, done) => {
    const { faults } = world(request);
    const active = faults.get(target);
    if (!active || cameInside(request)) return done();
    const { match } = active.spec as ApiFault;
    if (!paths(request).some((path) => matches(match, calledMethod(request), path))) return done();
    const spec = faults.take(target)?.spec as ApiFault | undefined;
    if (!spec) return done();
    const finish = () => done(spec.status === undefined ? undefined : error(spec.status));
    if (spec.latency) void wallSleep(spec.latency).then(finish);
    else finish();
  });
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Checks a fault's `match`. @throws SandboxError `bad_request` if no call can match it */
export function checkMatch(pattern: string): void {
  checkPatternLength("match", pattern);
  const { method, path, more } = partsOf(pattern);
  const hint = `Write a method, a path with * for any text, or both: POST /payment-links*. Methods: ${METHODS.join(", ")}.`;
  if (method !== undefined && !METHODS.includes(method))
    throw misuse(`match: there is no method '${method.slice(0, 60)}'.`, hint);
  if (more.length > 0 || !/^[/*]/.test(path))
    throw misuse(
      `match must be a method, a path that begins with / or *, or both, not '${pattern.slice(0, 60)}'.`,
      hint,
    );
}

export function matches(pattern: string | undefined, method: string, path: string): boolean {
  if (pattern === undefined) return true;
  const wanted = partsOf(pattern);
  if (wanted.method !== undefined && wanted.method !== method) return false;
  return [path, path.replace(/^\/api\/v1/, "")].some((one) => fitsWildcard(wanted.path, one));
}

function partsOf(pattern: string): { method: string | undefined; path: string; more: string[] } {
  const parts = pattern.trim().split(/\s+/);
  const method = /^[A-Z]+$/.test(parts[0]!) ? parts.shift() : undefined;
  const [path = "*", ...more] = parts;
  return { method, path, more };
}
