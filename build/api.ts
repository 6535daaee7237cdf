import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiReport } from "./api-report.ts";
import { withConfigTable, withSenderTable } from "./config-files.ts";
import { bundleTypes } from "./types.ts";

/** Writes docs/api.md, the report of the public types, and the tables in docs/guide/configuration.md and docs/sender-fields.md. */
const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const GUIDE = path("docs/guide/configuration.md");
const SENDERS = path("docs/sender-fields.md");

await bundleTypes(path("dist/types"));
writeFileSync(path("docs/api.md"), apiReport(path("dist/types")));
writeFileSync(GUIDE, withConfigTable(readFileSync(GUIDE, "utf8")));
writeFileSync(SENDERS, withSenderTable(readFileSync(SENDERS, "utf8")));
