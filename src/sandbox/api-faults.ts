import { notFound } from "../errors/errors.ts";
import { type ApiFault, apiFaultTarget, checkMatch } from "../http/api-faults.ts";
import type { ActiveFault, Faults } from "../world/faults.ts";
import type { AnyArea } from "./areas.ts";

/**
 * The faults of a world's APIs. See docs/guide/faults.md, "The API itself". @throws SandboxError `not_found` for an
 * unknown area
 */
export interface ApiFaults {
  /** @throws SandboxError also `bad_request` for an invalid `match` */
  setApiFault(area: string, fault: ApiFault): ActiveFault<ApiFault>;
  apiFault(area: string): ActiveFault<ApiFault> | undefined;
  /** Returns whether there was a fault. */
  clearApiFault(area: string): boolean;
}

export function createApiFaults(faults: Faults, areas: readonly AnyArea[]): ApiFaults {
  function checkArea(area: string): string {
    if (areas.some(({ name }) => name === area)) return apiFaultTarget(area);
    const names = areas.map(({ name }) => name).join(", ");
    throw notFound(`There is no area ${area}.`, `Areas: ${names}.`);
  }

  return {
    setApiFault(area, fault) {
      const target = checkArea(area);
      if (fault.match !== undefined) checkMatch(fault.match);
      faults.set(target, fault);
      return faults.get(target)!;
    },
    apiFault: (area) => faults.get(checkArea(area)),
    clearApiFault: (area) => faults.clear(checkArea(area)),
  };
}
