import { misuse, notFound } from "../errors/errors.ts";
import { apiFaultTarget, checkMatch } from "../http/api-faults.ts";
import { readDelay } from "../http/delay.ts";
import type { MethodsOf } from "../operations/index.ts";
import type { Faults } from "../world/faults.ts";
import type { AnyArea } from "./areas.ts";

/**
 * Controls the active faults of a world and of its APIs. See docs/guide/faults.md, "The API itself".
 * @throws SandboxError `not_found` for an unknown area; `bad_request`, `invalid_duration`
 */
export type FaultControls = MethodsOf<"faults">;

export function createFaultControls(faults: Faults, areas: readonly AnyArea[]): FaultControls {
  function targetOf(area: string): string {
    if (areas.some(({ name }) => name === area)) return apiFaultTarget(area);
    const names = areas.map(({ name }) => name).join(", ");
    throw notFound(`There is no area ${area}.`, `Areas: ${names}.`);
  }

  const get: FaultControls["get"] = ({ area }) => {
    const target = targetOf(area);
    return faults.get(target) ?? { target, spec: null, asked: 0, hit: 0 };
  };

  return {
    list: () => ({ data: faults.list() }),
    get,

    set({ area, latency, ...fault }) {
      if (fault.status === undefined && latency === undefined)
        throw misuse("An API fault needs status or latency.", {
          command: "For example: npx sandglass faults platform 503",
          library: "For example: { status: 500 } or { latency: 2000 }.",
          http: 'For example: {"status": 500} or {"latency": 2000, "match": "GET /payment-links*"}.',
        });
      const delay = latency === undefined ? {} : { latency: readDelay(latency, "latency") };
      const target = targetOf(area);
      if (fault.match !== undefined) checkMatch(fault.match);
      faults.set(target, { ...fault, ...delay });
      return get({ area });
    },

    clear({ area }) {
      faults.clear(targetOf(area));
      return get({ area });
    },
  };
}
