import { HAZARD_NAMES } from "../../src/trial/hazards/index.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { lastWriteWins } from "./handlers.ts";
import { type Overrides, serveShop } from "./server.ts";

/** All hazards except the listed ones and the valid event. */
export const allBut = (...names: string[]) =>
  HAZARD_NAMES.filter((name) => name !== "valid-event" && !names.includes(name));

/** Creates a project whose configuration describes a shop that is already being served. */
export async function project(shop = lastWriteWins(), overrides: Overrides = {}) {
  const { url, origin } = await serveShop(shop, overrides);
  const subject = {
    ...{ url, state: `${origin}/state`, reset: `${origin}/reset`, stories: ["late-payment"], deviations: 1 },
    skip: allBut("duplicate"),
  };
  const write = (more: object) =>
    JSON.stringify({ webhooks: { secret: "whsec_test" }, subject: { ...subject, ...more } });
  const cwd = folderOf({
    "sandbox.config.json": write({}),
    "signed.json": write({ skip: allBut("wrong-signature") }),
  });
  return { cwd, test: (...args: string[]) => runCli(["test", ...args], { cwd }) };
}
