import type { Client, SessionResource } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import type { Invocation } from "./command.ts";
import { fields, print, printJson } from "./output.ts";
import type { Page } from "./pages.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

/** The name of the latest active session. */
const LATEST = "last";

/** `sandglass expire`: ends a checkout session as if its time were up. */
export async function run({ args: [idOrUrl], options }: Invocation<ServerOptions>): Promise<undefined> {
  const sandbox = await chosenSandbox(options);
  const id = idOrUrl === LATEST ? await latestActiveId(sandbox) : idIn(idOrUrl!);
  const session = await sandbox.run("payments.expire", { id });
  if (options.json) printJson(session);
  else
    for (const line of fields([
      ["session", `${session.status}, ${session.id}`],
      ["at", `${instant(session.expired_at!)} UTC`],
    ]))
      print(line);
  return undefined;
}

const idIn = (idOrUrl: string): string => idOrUrl.split(/[?#]/)[0]!.replace(/\/+$/, "").split("/").at(-1)!;

/** @throws SandboxError `not_found` */
async function latestActiveId(sandbox: Client): Promise<string> {
  const path = "/platform/checkout-sessions?status=active&limit=1";
  const { data } = await sandbox.control<Page<SessionResource>>("GET", path, { fields: ["data"] });
  if (data[0]) return data[0].id;
  throw new SandboxError(
    "not_found",
    "No checkout session is active.",
    "A payment that fails leaves its session active: npx sandglass pay <link> --fail",
  );
}
