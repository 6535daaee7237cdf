import type { Client, Status } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Cell } from "./output.ts";
import type { Page } from "./pages.ts";

export type Organization = Status["organizations"][number];

/**
 * The organizations that a list is about: all of them, or the one that `--organization` names.
 * @throws SandboxError `not_found`
 */
export async function chosenOrganizations(
  sandbox: Client,
  named: string | undefined,
): Promise<Organization[]> {
  const { organizations } = await sandbox.status();
  const chosen = organizations.filter(
    ({ id, name }) => named === undefined || named === id || named.toLowerCase() === name.toLowerCase(),
  );
  if (chosen.length > 0) return chosen;
  throw new SandboxError(
    "not_found",
    `There is no organization '${named}'.`,
    `Organizations: ${organizations.map(({ id, name }) => `${name} (${id})`).join(", ")}.`,
  );
}

/** What a row has of its organization: its name, where a list has rows of several. */
export const organizationCell = (among: readonly Organization[], of: string): Cell[] =>
  among.length > 1 ? [among.find(({ id }) => id === of)?.name ?? of] : [];

/** A list of the platform, newest first, as the dashboards of these organizations show theirs. */
export async function readPages<Item extends { created_at: string }>(
  sandbox: Client,
  organizations: readonly Organization[],
  path: string,
  query: URLSearchParams,
): Promise<Page<Item & { organization: string }>> {
  const read = organizations.map(async ({ id: organization }) => {
    const page = await sandbox.control<Page<Item>>("GET", `/platform/${path}?${query}`, {
      headers: { "x-sandbox-organization": organization },
      fields: ["data", "total_count"],
    });
    return { ...page, data: page.data.map((item) => ({ ...item, organization })) };
  });
  const results = await Promise.allSettled(read);
  const failed = results.filter((result) => result.status === "rejected").map(({ reason }) => reason);
  // What belongs to one organization is unknown to the others.
  const unexpected = failed.filter(({ code }) => code !== "resource_not_found");
  if (unexpected.length > 0 || failed.length === results.length) throw unexpected[0] ?? failed[0];
  const pages = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const data = pages
    .flatMap((page) => page.data)
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))
    .slice(0, Number(query.get("limit")));
  const total = pages.reduce((sum, page) => sum + page.total_count, 0);
  return { ...pages[0], data, total_count: total, has_more: data.length < total };
}
