import type { Kit } from "../hazards/hazard.ts";
import type { Making } from "./material.ts";

/** The material for requests. The first events may show that a server needs a different one. */
export interface Supply {
  readonly making: Making;
  readonly kit: Kit;
  /** The same kinds of events about other objects, for second tries. They are deterministic, too. */
  others(): Kit;
  with(change: Partial<Making>): Supply;
}

export const createSupply = (make: (making: Making) => Kit, making: Making): Supply => ({
  ...{ making, kit: make(making) },
  others: () => make({ ...making, seed: `${making.seed} again` }),
  with: (change) => createSupply(make, { ...making, ...change }),
});
