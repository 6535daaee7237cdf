import { loadOnce } from "../../runtime/load-once.ts";
import type { Kit } from "../hazards/hazard.ts";
import type { Craft } from "./craft.ts";
import type { Material } from "./material.ts";

/** What events are made of. */
export interface Making {
  seed: string;
  /** The type of most events. */
  event: string;
  /** Places of bodies that name what an event is about, beside those of the sender's file. */
  about: readonly string[];
}

/** What requests are made from. What the first events show of a server changes it. */
export interface Supply {
  readonly making: Making;
  kit(): Promise<Kit>;
  /** For second tries: the same kinds of events, about other things. */
  others(): Promise<Kit>;
  with(change: Partial<Making>): Supply;
}

export function createSupply(
  make: (making: Making) => Material | Promise<Material>,
  craft: Craft,
  making: Making,
): Supply {
  const kitOf = async (made: Making): Promise<Kit> => ({ ...(await make(made)), ...craft });
  const first = loadOnce(() => kitOf(making));
  // As repeatable as the first ones.
  const second = loadOnce(() => kitOf({ ...making, seed: `${making.seed} again` }));
  return {
    making,
    kit: first.get,
    others: second.get,
    with: (change) => createSupply(make, craft, { ...making, ...change }),
  };
}
