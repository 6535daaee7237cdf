import type { Kit } from "../hazards/hazard.ts";
import type { Making } from "./material.ts";

/** What requests are made from. The first events may show that a server needs other events. */
export interface Supply {
  readonly making: Making;
  readonly kit: Kit;
  /** For second tries: the same kinds of events about other objects. Repeatable like the first. */
  others(): Kit;
  with(change: Partial<Making>): Supply;
}

export const createSupply = (make: (making: Making) => Kit, making: Making): Supply => ({
  ...{ making, kit: make(making) },
  others: () => make({ ...making, seed: `${making.seed} again` }),
  with: (change) => createSupply(make, { ...making, ...change }),
});
