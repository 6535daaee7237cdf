import type { Client, SessionResource } from "../client/http.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import { amountText } from "./amounts.ts";
import type { Invocation } from "./command.ts";
import { readLinks } from "./links.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { moreLine, type Page, pageQuery } from "./pages.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Session = SessionResource;

/** `sandglass sessions`: the checkout sessions, newest first, of all links or of one. */
export async function run({
  args: [link],
  options,
}: Invocation<ServerOptions & { status?: string; limit?: string }>): Promise<undefined> {
  const query = pageQuery(options.limit);
  if (options.status !== undefined) query.set("status", options.status);
  const sandbox = await chosenSandbox(options);
  const path =
    link === undefined ? "checkout-sessions" : `payment-links/${await linkId(sandbox, link)}/sessions`;
  const page = await sandbox.control<Page<Session>>("GET", `/platform/${path}?${query}`, {
    fields: ["data", "total_count"],
  });
  if (options.json) printJson(page);
  else for (const line of lines(page)) print(line);
  return undefined;
}

/** The id of a link that may be named by its short code or its URL. */
async function linkId(sandbox: Client, link: string): Promise<string> {
  if (link.startsWith("pl_")) return encodeURIComponent(link);
  const code = link.split("?")[0]!.replace(/\/+$/, "").split("/").at(-1)!;
  const { data } = await readLinks(sandbox, new URLSearchParams({ search: code, limit: "100" }));
  const found = data.find((one) => one.short_code === code);
  if (found) return found.id;
  const similar = await readLinks(sandbox, new URLSearchParams({ search: code.slice(0, 3), limit: "100" }));
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

function lines(page: Page<Session>): string[] {
  if (page.data.length === 0)
    return ["No checkout session matches. Pay a link to open one: npx sandglass pay <link>"];
  const rows = page.data.map((session): Cell[] => [
    session.id,
    { text: session.status, color: COLORS[session.status] ?? ((text) => text) },
    session.amount === null ? "" : amountText({ ...session, amount: session.amount }),
    { text: instant(session.created_at), color: paint.dim },
    session.status === "active" ? `expires ${instant(session.expires_at)}` : "",
    session.client_reference_id ?? "",
  ]);
  return [...columns(rows), ...moreLine(page, "sessions")];
}
