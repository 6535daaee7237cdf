import { readFileSync } from "node:fs";
import { unlessThrown } from "./unless-thrown.ts";

/** The text of a file; empty if it cannot be read. */
export const readIfThere = (file: string): string => unlessThrown(() => readFileSync(file, "utf8")) ?? "";
