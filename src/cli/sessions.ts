import type { SessionResource as Session } from "../client/http.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import { amountText } from "./amounts.ts";
import type { Invocation } from "./command.ts";
import { readLinks } from "./links.ts";
import { type Lists, listsOf, type Owned } from "./organizations.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { moreLine, type Page, pageQuery } from "./pages.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Options = ServerOptions & { status?: string; limit?: string; organization?: string };

/** `sandglass sessions`: the checkout sessions, newest first, of all links or of one. */
export async function run({ args: [link], options }: Invocation<Options>): Promise<undefined> {
  const query = pageQuery(options.limit);
  if (options.status !== undefined) query.set("status", options.status);
  const lists = await listsOf(await chosenSandbox(options), options.organization);
  const path =
    link === undefined ? "checkout-sessions" : `payment-links/${await linkId(lists, link)}/sessions`;
  const page = await lists.read<Session>(path, query);
  if (options.json) printJson(page);
  else for (const line of lines(page, lists)) print(line);
  return undefined;
}

/** The id of a link that may be named by its short code or its URL. */
async function linkId(lists: Lists, link: string): Promise<string> {
  if (link.startsWith("pl_")) return encodeURIComponent(link);
  const code = link.split("?")[0]!.replace(/\/+$/, "").split("/").at(-1)!;
  const search = (text: string) => readLinks(lists, new URLSearchParams({ search: text, limit: "100" }));
  const { data } = await search(code);
  const found = data.find((one) => one.short_code === code);
  if (found) return found.id;
  const similar = await search(code.slice(0, 3));
  const meant = closest(
    code,
    similar.data.map((one) => one.short_code),
  );
  throw new SandboxError(
    "not_found",
    `There is no payment link ${link}.`,
    meant ? `Did you mean: npx sandglass sessions ${meant}` : "Print them all: npx sandglass links",
  );
}

const COLORS: Record<string, (text: string) => string> = {
  active: paint.yellow,
  completed: paint.green,
  expired: paint.dim,
};

function lines(page: Page<Owned<Session>>, lists: Lists): string[] {
  if (page.data.length === 0)
    return ["No checkout session matches. Pay a link to open one: npx sandglass pay <link>"];
  const rows = page.data.map((session): Cell[] => [
    session.id,
    { text: session.status, color: COLORS[session.status] ?? ((text) => text) },
    session.amount === null ? "" : amountText({ ...session, amount: session.amount }),
    { text: instant(session.created_at), color: paint.dim },
    session.status === "active" ? `expires ${instant(session.expires_at)}` : "",
    ...lists.cell(session),
    session.client_reference_id ?? "",
  ]);
  return [...columns(rows), ...moreLine(page, "sessions")];
}
