import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Cell } from "./output.ts";
import type { Page } from "./pages.ts";

/** A row of a list, with the id of the organization that it belongs to. */
export type Owned<Item> = Item & { organization: string };

/**
 * Lists of all organizations, or of the one that `--organization` names.
 * @throws SandboxError `not_found`
 */
export async function listsOf(sandbox: Client, named: string | undefined) {
  const { organizations: all } = await sandbox.status();
  const is = (text: string) => named === undefined || named.toLowerCase() === text.toLowerCase();
  const names = new Map(all.filter(({ id, name }) => is(id) || is(name)).map(({ id, name }) => [id, name]));
  if (names.size === 0)
    throw new SandboxError(
      "not_found",
      `There is no organization '${named}'.`,
      `Organizations: ${all.map(({ id, name }) => `${name} (${id})`).join(", ")}.`,
    );

  return {
    /** A sender from a file has no organization: its rows are in the list of all. */
    has: ({ organization }: Owned<object>): boolean => named === undefined || names.has(organization),

    /** What a row says of its organization: its name, where there are rows of several. */
    cell: ({ organization }: Owned<object>): Cell[] =>
      names.size > 1 ? [names.get(organization) ?? organization] : [],

    /** A list of the platform, newest first, as the dashboards show it. */
    async read<Item extends { created_at: string }>(path: string, query: URLSearchParams) {
      const results = await Promise.allSettled(
        [...names.keys()].map(async (organization): Promise<Page<Owned<Item>>> => {
          const page = await sandbox.control<Page<Item>>("GET", `/platform/${path}?${query}`, {
            headers: { "x-sandbox-organization": organization },
            fields: ["data", "total_count"],
          });
          return { ...page, data: page.data.map((item) => ({ ...item, organization })) };
        }),
      );
      const pages = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      // What belongs to one organization is unknown to the others.
      for (const result of results)
        if (
          result.status === "rejected" &&
          (pages.length === 0 || result.reason.code !== "resource_not_found")
        )
          throw result.reason;
      const data = pages
        .flatMap((page) => page.data)
        .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))
        .slice(0, Number(query.get("limit")));
      const total = pages.reduce((sum, page) => sum + page.total_count, 0);
      return { ...pages[0], data, total_count: total, has_more: data.length < total };
    },
  };
}

/** The lists of a command. */
export type Lists = Awaited<ReturnType<typeof listsOf>>;
