import { api } from "./api.ts";
import { beginnings } from "./beginnings.ts";
import { test } from "./example.ts";
import { explore } from "./explore.ts";
import { frames } from "./frames.ts";
import { growth } from "./growth.ts";
import type { Figure } from "./harness.ts";
import { install } from "./install.ts";
import { firstFindings, level } from "./order.ts";
import { outside } from "./outside.ts";
import { report } from "./report.ts";
import { scenarios } from "./scenarios.ts";
import { exec, pay, run, start } from "./start.ts";
import { statements } from "./statements.ts";
import { expiries, reset } from "./time.ts";
import { types } from "./types.ts";
import { dispatch, slowBesideFast } from "./webhooks.ts";
import { worlds } from "./worlds.ts";

type Section = () => Promise<Figure | Figure[]>;

const SECTIONS: Record<string, Section> = {
  start,
  beginnings,
  pay,
  exec,
  run,
  test,
  api,
  dispatch,
  expiries,
  reset,
  slowBesideFast,
  worlds,
  scenarios,
  explore,
  statements,
  outside,
  firstFindings,
  level,
  frames,
  types: async () => types(),
};

/**
 * Measured only if requested by name: `install` needs npm's registry, and `growth` fills a world with 100,000 payments.
 */
const ON_DEMAND: Record<string, Section> = { install, growth };

const all = { ...SECTIONS, ...ON_DEMAND };
const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in all));
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(", ")}. There are: ${Object.keys(all).join(", ")}.`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const name of named.length > 0 ? named : Object.keys(SECTIONS))
  figures.push(...[await all[name]!()].flat());
process.exit(report(figures) ? 0 : 1);
