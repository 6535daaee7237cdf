import { HAZARDS } from "../../src/trial/hazards/index.ts";
import { repeats } from "./receivers/bad.ts";

export const everything = HAZARDS.map(({ name }) => name);
/** The hazards that cannot be judged by responses alone. */
export const unseen = ["test-delivery", ...repeats, "reordered-events"];
