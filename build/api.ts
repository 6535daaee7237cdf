import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiReport } from "./api-report.ts";
import { bundleTypes } from "./types.ts";

/** Writes docs/api.md, the report of the public types. */
const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

await bundleTypes(path("dist/types"));
writeFileSync(path("docs/api.md"), apiReport(path("dist/types")));
