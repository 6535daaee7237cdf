import { HAZARDS } from "../../src/trial/hazards/index.ts";
import { repeats } from "./receivers/bad.ts";

export const everything = HAZARDS.map(({ name }) => name);
/** What the answers do not show. */
export const unseen = ["test-delivery", ...repeats, "reordered-events"];
