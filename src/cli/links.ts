import type { Client } from "../client/http.ts";
import { amountText } from "./amounts.ts";
import type { Invocation } from "./command.ts";
import { chosenOrganizations, type Organization, organizationCell, readPages } from "./organizations.ts";
import { columns, paint, print, printJson } from "./output.ts";
import { moreLine, pageQuery } from "./pages.ts";
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

/** `sandglass links`: the payment links, newest first. */
export async function run({
  options,
}: Invocation<
  ServerOptions & { search?: string; limit?: string; organization?: string }
>): Promise<undefined> {
  const query = pageQuery(options.limit);
  if (options.search !== undefined) query.set("search", options.search);
  const sandbox = await chosenSandbox(options);
  const organizations = await chosenOrganizations(sandbox, options.organization);
  const page = await readLinks(sandbox, organizations, query);
  if (options.json) printJson(page);
  else for (const line of lines(page, organizations)) print(line);
  return undefined;
}

/** Payment links, as the dashboards list them. */
export const readLinks = (sandbox: Client, organizations: readonly Organization[], query: URLSearchParams) =>
  readPages<Link>(sandbox, organizations, "payment-links", query);

function lines(
  page: Awaited<ReturnType<typeof readLinks>>,
  organizations: readonly Organization[],
): string[] {
  if (page.data.length === 0) return ["No payment link matches."];
  const rows = page.data.map((link) => [
    { text: link.short_code, color: paint.bold },
    link.amount === null ? "any amount" : amountText({ ...link, amount: link.amount }),
    { text: link.active ? "active" : "inactive", color: link.active ? paint.green : paint.dim },
    `${link.current_uses}${link.max_uses === null ? "" : ` of ${link.max_uses}`} paid`,
    ...organizationCell(organizations, link.organization),
    link.id,
    link.name,
  ]);
  return [...columns(rows), ...moreLine(page, "links")];
}
