import { notFound, SandboxError } from "../errors/errors.ts";
import { OTHER_SESSIONS } from "../payments/checkout-sessions.ts";
import type { Caller } from "../payments/context.ts";
import type { PageQuery } from "../payments/listing.ts";
import type { Payments } from "../payments/payments.ts";
import type { PaymentLinkRow, SessionRow } from "../payments/rows.ts";
import type { CheckoutSessionCreate } from "../payments/schemas/checkout-sessions.ts";
import type { PaymentLinkCreate, PaymentLinkListQuery } from "../payments/schemas/payment-links.ts";

/** Which rows a list has, and how many. */
export interface ListQuery {
  limit: number;
  /** An organization's id or name; every organization by default. */
  organization?: string | undefined;
}

export interface LinksQuery extends ListQuery, Pick<PaymentLinkListQuery, "search" | "active"> {
  sort: "created_at" | "current_uses";
}

/** A row of a list, with its organization's id. */
export type Owned<Item> = Item & { organization: string };

/**
 * Payment links, sessions and payments of every organization.
 * @param findLink by id, short code or URL; throws SandboxError `not_found`
 * @param dashboard the caller of a dashboard action
 */
export function createCheckoutControls(
  payments: Payments,
  findLink: (name: string) => PaymentLinkRow,
  dashboard: (org: string, method: string, path: string) => Caller,
) {
  const { links, sessions, transactions } = payments;

  /** The ids of organizations with an id or a name; of all of them by default. @throws SandboxError `not_found` */
  function organizationIds(named: string | undefined): string[] {
    const all = payments.organizations.list();
    const is = (text: string) => named === undefined || named.toLowerCase() === text.toLowerCase();
    const found = all.filter(({ id, name }) => is(id) || is(name));
    if (found.length > 0) return found.map(({ id }) => id);
    throw new SandboxError(
      "not_found",
      `There is no organization ${named}.`,
      `Organizations: ${all.map(({ id, name }) => `${name} (${id})`).join(", ")}.`,
      undefined,
      "organization",
    );
  }

  /** The rows of several organizations as one list, the newest or highest first. */
  function listOf<Item extends { created_at: string }>(
    organizations: readonly string[],
    { limit, sort }: { limit: number; sort: keyof Item & string },
    read: (org: string, query: PageQuery) => { data: Item[]; total: number },
  ): { data: Owned<Item>[]; total_count: number } {
    const pages = organizations.map((organization) => {
      const { data, total } = read(organization, { page: 1, limit, sort, order: "desc" });
      return { total, data: data.map((item) => ({ ...item, organization })) };
    });
    const data = pages
      .flatMap((page) => page.data)
      .toSorted((one, other) => Number(one[sort] < other[sort]) - Number(one[sort] > other[sort]))
      .slice(0, limit);
    return { data, total_count: pages.reduce((sum, { total }) => sum + total, 0) };
  }

  /** @param id also an order's `client_reference_id` */
  function findSession(id: string): SessionRow {
    const row = sessions.byId(id) ?? sessions.byReference(id);
    if (row) return row;
    throw notFound(`There is no checkout session ${id}.`, OTHER_SESSIONS);
  }

  return {
    organizationIds,
    findSession,

    /** Payment links, the newest or most used first. */
    links: ({ search, active, ...query }: LinksQuery) =>
      listOf(organizationIds(query.organization), query, (org, page) =>
        links.list(org, {
          ...page,
          ...(search !== undefined && { search }),
          ...(active !== undefined && { active }),
        }),
      ),

    /** @param organization the owner of the link, by its id or name; the first one by default */
    createLink: ({ organization, ...input }: PaymentLinkCreate & { organization?: string }, path: string) =>
      links.create(dashboard(organizationIds(organization)[0]!, "POST", path), input),

    link: (name: string) => links.resource(findLink(name)),

    /** Checkout sessions of a link or of all, newest first. */
    sessions({ link, status, ...query }: ListQuery & { link?: string; status?: SessionRow["status"] }) {
      const of = link === undefined ? undefined : findLink(link);
      const organizations = organizationIds(query.organization);
      const owners = of ? organizations.filter((id) => id === of.org) : organizations;
      return listOf(owners, { ...query, sort: "created_at" }, (org, page) =>
        sessions.list(org, {
          ...page,
          ...(status !== undefined && { status }),
          ...(of && { payment_link_id: of.id }),
        }),
      );
    },

    /** Opens a checkout session of a link. */
    openSession({ link, ...input }: Omit<CheckoutSessionCreate, "payment_link_id"> & { link: string }) {
      const { org, id } = findLink(link);
      return sessions.resource(sessions.open(org, id, input));
    },

    session: (id: string) => sessions.resource(findSession(id)),

    transaction(id: string) {
      const row = transactions.byId(id);
      if (row) return transactions.get(row.org, id);
      throw notFound(`There is no transaction ${id}.`, {
        command: "Print the checkout sessions: npx sandglass sessions",
        library: 'platform.call("GET", "/transactions") lists them.',
        http: "GET /api/v1/transactions lists them.",
      });
    },
  };
}
