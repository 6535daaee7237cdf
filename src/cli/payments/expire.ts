import type { Client } from "../../client/http.ts";
import { instant } from "../../timeline/instant.ts";
import { LAST, newest } from "../operation/find-named.ts";
import { view } from "../operation/view.ts";
import { fields } from "../output.ts";

export const views = view("payments.expire", {
  read: async ({ id }, { sandbox }) => ({ id: id === LAST ? await latestActiveId(sandbox) : idIn(id) }),
  lines: ({ id, status, expired_at: at }) =>
    fields([
      ["session", `${status}, ${id}`],
      ["at", `${instant(at!)} UTC`],
    ]),
});

const idIn = (idOrUrl: string): string => idOrUrl.split(/[?#]/)[0]!.replace(/\/+$/, "").split("/").at(-1)!;

/** @throws SandboxError `not_found` */
async function latestActiveId(sandbox: Client): Promise<string> {
  const { data } = await sandbox.run("payments.sessions", { status: "active", limit: 1 });
  const wayOut = "A payment that fails leaves its session active: npx sandglass pay <link> --fail";
  return newest(data, "No checkout session is active.", wayOut).id;
}
