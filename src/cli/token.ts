import { view } from "./view.ts";

/** How `sandglass token` prints a launcher JWT: alone in its line, so that a shell can take it. */
export const views = view("game.token", { lines: ({ token }) => [token] });
