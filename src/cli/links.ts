import { amountText } from "./amounts.ts";
import type { Invocation } from "./command.ts";
import { type Lists, listsOf, type Owned } from "./organizations.ts";
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
  created_at: string;
}

type Options = ServerOptions & { search?: string; limit?: string; organization?: string };

/** `sandglass links`: the payment links, newest first. */
export async function run({ options }: Invocation<Options>): Promise<undefined> {
  const query = pageQuery(options.limit);
  if (options.search !== undefined) query.set("search", options.search);
  const lists = await listsOf(await chosenSandbox(options), options.organization);
  const page = await readLinks(lists, query);
  if (options.json) printJson(page);
  else for (const line of lines(page, lists)) print(line);
  return undefined;
}

/** Payment links, as the dashboards list them. */
export const readLinks = (lists: Lists, query: URLSearchParams) => lists.read<Link>("payment-links", query);

function lines(page: Page<Owned<Link>>, lists: Lists): string[] {
  if (page.data.length === 0) return ["No payment link matches."];
  const rows = page.data.map((link) => [
    { text: link.short_code, color: paint.bold },
    link.amount === null ? "any amount" : amountText({ ...link, amount: link.amount }),
    { text: link.active ? "active" : "inactive", color: link.active ? paint.green : paint.dim },
    `${link.current_uses}${link.max_uses === null ? "" : ` of ${link.max_uses}`} paid`,
    ...lists.cell(link),
    link.id,
    link.name,
  ]);
  return [...columns(rows), ...moreLine(page, "links")];
}
