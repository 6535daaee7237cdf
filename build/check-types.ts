import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Type-checks the server and the page, or those that are named: `.` and `ui`. It shows the errors of both in one run. */
const named = process.argv.slice(2);
const results = (named.length > 0 ? named : [".", "ui"]).map((project) => {
  // It stores what it found, so that the next run checks what has changed since.
  const found = path(`node_modules/.cache/types-${project === "." ? "server" : project}.tsbuildinfo`);
  const flags = ["--noEmit", "--singleThreaded", "--incremental", "--tsBuildInfoFile", found];
  const tsc = path("node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "-p", path(project), ...flags], { stdio: "inherit" }).status;
});
if (results.some((status) => status !== 0)) process.exitCode = 1;
