import { readFileSync } from "node:fs";
import { inPackage } from "../runtime/package.ts";

/** The variable in which servers usually have a sender's secret. */
export const secretVariable = (name: string): string =>
  JSON.parse(readFileSync(inPackage("fixtures/init/senders.json"), "utf8"))[name]?.secret ??
  `${name.toUpperCase().replaceAll("-", "_")}_WEBHOOK_SECRET`;
