import type { Client, ResultOf } from "../../client/http.ts";
import { instant } from "../../timeline/instant.ts";
import { count } from "../../timeline/text.ts";
import { amountText } from "../operation/amounts.ts";
import { view, viewsOf } from "../operation/view.ts";
import { type Cell, columns, paint } from "../output.ts";

/** The maximum number of rows in a list. */
const MOST = 100;

/**
 * The name of a row's organization, if the rows may belong to several organizations.
 * @param named the organization to which the list is limited
 */
export async function ownerCells(
  sandbox: Client,
  named: string | undefined,
): Promise<(row: { organization: string }) => Cell[]> {
  const { organizations } = named === undefined ? await sandbox.status() : { organizations: [] };
  const names = new Map(organizations.map(({ id, name }) => [id, name]));
  return ({ organization }) => (names.size > 1 ? [names.get(organization) ?? organization] : []);
}

/** A final line with the number of omitted rows; empty if none were omitted. */
function moreLine({ data, total_count: total }: { data: unknown[]; total_count: number }, what: string) {
  const left = total - data.length;
  if (left <= 0) return [];
  const way = data.length < MOST ? `; print up to ${MOST} with --limit` : "";
  return [paint.dim(`and ${count(left, "more", `more ${what}`)}${way}`)];
}

const COLORS: Record<string, (text: string) => string> = {
  active: paint.yellow,
  completed: paint.green,
  expired: paint.dim,
};

const linkCells = (link: ResultOf<"payments.links">["data"][number], owner: Cell[]): Cell[] => [
  { text: link.short_code, color: paint.bold },
  link.amount === null ? "any amount" : amountText({ ...link, amount: link.amount }),
  { text: link.active ? "active" : "inactive", color: link.active ? paint.green : paint.dim },
  `${link.current_uses}${link.max_uses === null ? "" : ` of ${link.max_uses}`} paid`,
  ...owner,
  link.id,
  link.name,
];

const sessionCells = (session: ResultOf<"payments.sessions">["data"][number], owner: Cell[]): Cell[] => [
  session.id,
  { text: session.status, color: COLORS[session.status] ?? ((text) => text) },
  session.amount === null ? "" : amountText({ ...session, amount: session.amount }),
  { text: instant(session.created_at), color: paint.dim },
  session.status === "active" ? `expires ${instant(session.expires_at)}` : "",
  ...owner,
  session.client_reference_id ?? "",
];

export const views = viewsOf(
  view("payments.links", {
    async lines(page, { sandbox, given }) {
      if (page.data.length === 0) return ["No payment link matches."];
      const owner = await ownerCells(sandbox, given.organization);
      return [...columns(page.data.map((one) => linkCells(one, owner(one)))), ...moreLine(page, "links")];
    },
  }),
  view("payments.sessions", {
    async lines(page, { sandbox, given }) {
      if (page.data.length === 0)
        return ["No checkout session matches. Pay a link to open one: npx sandglass pay <link>"];
      const owner = await ownerCells(sandbox, given.organization);
      const rows = page.data.map((one) => sessionCells(one, owner(one)));
      return [...columns(rows), ...moreLine(page, "sessions")];
    },
  }),
);
