import type { Kit } from "../hazards/hazard.ts";
import type { Making } from "./material.ts";

/** What requests are made from. What the first events show of a server changes it. */
export interface Supply {
  readonly making: Making;
  readonly kit: Kit;
  /** For second tries, as repeatable as the first: the same kinds of events, about other things. */
  others(): Kit;
  with(change: Partial<Making>): Supply;
}

export const createSupply = (make: (making: Making) => Kit, making: Making): Supply => ({
  ...{ making, kit: make(making) },
  others: () => make({ ...making, seed: `${making.seed} again` }),
  with: (change) => createSupply(make, { ...making, ...change }),
});
