import type { Plugin } from "vite";
import { ANSWERS } from "../src/client/answers.ts";
import { CALLS } from "../src/client/calls.ts";

const DATA = { calls: { CALLS }, answers: { ANSWERS } };

/** Writes what clients need of the operations into the bundle as data: their schemas are loaded by the server alone. */
export function operationsAsData(): Plugin {
  return {
    name: "operations-as-data",
    load(id) {
      const name = /\/src\/client\/(calls|answers)\.ts$/.exec(id.replaceAll("\\", "/"))?.[1];
      if (name === undefined) return undefined;
      const [[variable, value]] = Object.entries(DATA[name as keyof typeof DATA]) as [[string, unknown]];
      return `export const ${variable} = ${JSON.stringify(value)};`;
    },
  };
}
