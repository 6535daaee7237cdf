import type { Client } from "../client/http.ts";
import { amountText } from "./amounts.ts";
import type { Invocation } from "./command.ts";
import { columns, paint, print, printJson } from "./output.ts";
import { moreLine, type Page, pageQuery } from "./pages.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Link {
  id: string;
  name: string;
  short_code: string;
  amount: string | null;
  token_address: string;
  chain_id: number;
  active: boolean;
  current_uses: number;
  max_uses: number | null;
  expires_at: string | null;
}

/** `sandglass links`: the payment links, newest first. */
export async function run({
  options,
}: Invocation<ServerOptions & { search?: string; limit?: string }>): Promise<undefined> {
  const query = pageQuery(options.limit);
  if (options.search !== undefined) query.set("search", options.search);
  const sandbox = await chosenSandbox(options);
  const page = await readLinks(sandbox, query);
  if (options.json) printJson(page);
  else for (const line of lines(page)) print(line);
  return undefined;
}

/** Payment links, as the dashboard lists them. */
export const readLinks = (sandbox: Client, query: URLSearchParams): Promise<Page<Link>> =>
  sandbox.control("GET", `/platform/payment-links?${query}`, { fields: ["data", "total_count"] });

function lines(page: Page<Link>): string[] {
  if (page.data.length === 0) return ["No payment link matches."];
  const rows = page.data.map((link) => [
    { text: link.short_code, color: paint.bold },
    link.amount === null ? "any amount" : amountText({ ...link, amount: link.amount }),
    { text: link.active ? "active" : "inactive", color: link.active ? paint.green : paint.dim },
    `${link.current_uses}${link.max_uses === null ? "" : ` of ${link.max_uses}`} paid`,
    link.id,
    link.name,
  ]);
  return [...columns(rows), ...moreLine(page, "links")];
}
