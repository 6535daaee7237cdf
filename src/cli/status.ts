import type { Status } from "../client/http.ts";
import { instant } from "../timeline/instant.ts";
import { count } from "../timeline/text.ts";
import { fields, pace, paint } from "./output.ts";
import { view } from "./view.ts";

/** How `sandglass status` prints what is running, where, with which keys, and how much there is in it. */
export const views = view("status", { lines: (status, { sandbox }) => lines(status, sandbox.url) });

/** @param reached where this machine reaches it, which may not be the address for others */
function lines(status: Status, reached: string): string[] {
  const { version, share, world, seed, clock, organization, bases, keys, player, counts } = status;
  return [
    `${paint.bold("Sandglass")} ${version} is running at ${paint.cyan(reached)}`,
    ...fields([
      ["world", `${world}, from seed ${seed}`],
      ["clock", `${pace(clock)}, at ${instant(clock.now)} UTC`],
      ["organization", `${organization.name}, ${organization.id}`],
      ...Object.entries(bases),
      ...(share === null
        ? []
        : [["shared", `by a link; ${count(share.wrong_tokens, "wrong token")}`] as const]),
      ...Object.entries(keys).map(([name, key]) => [`${name} key`, key] as const),
      ["webhook secret", status.webhook_secret ?? "none: no endpoint is enabled"],
      ["player", player === null ? "none" : `${player.address}; for its token: npx sandglass token`],
      ...Object.entries(counts).map(([name, count]) => [name.replaceAll("_", " "), String(count)] as const),
    ]),
  ];
}
