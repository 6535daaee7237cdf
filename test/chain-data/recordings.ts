import { readdirSync, readFileSync } from "node:fs";

export const FOLDER = new URL("../../fixtures/recordings/", import.meta.url);
export const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

export const text = (file: string) => readFileSync(new URL(file, FOLDER), "utf8");
