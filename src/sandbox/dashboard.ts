import { isSecret } from "../config/config.ts";
import { misuse, notFound } from "../errors/errors.ts";
import type { Caller } from "../http/caller.ts";
import type { Payments } from "../payments/payments.ts";

/** The caller that the audit trail records for a dashboard action. */
export function dashboardCaller(org: string, method: string, path: string): Caller {
  return { org, ip: "127.0.0.1", method, path };
}

/** The ids of the organizations that match an id or name; by default, all of them. @throws SandboxError `not_found` */
export function organizationIds({ organizations }: Payments, named: string | undefined): string[] {
  const all = organizations.list();
  const is = (text: string) => named === undefined || named.toLowerCase() === text.toLowerCase();
  const found = all.filter(({ id, name }) => is(id) || is(name));
  if (found.length > 0) return found.map(({ id }) => id);
  throw notFound(
    `There is no organization ${named}.`,
    `Organizations: ${all.map(({ id, name }) => `${name} (${id})`).join(", ")}.`,
    "organization",
  );
}

/** Validates a secret. The error message omits the secret, because it could end up in CI logs. */
export function checkSecret(text: string): void {
  if (isSecret(text)) return;
  const wrong =
    text.length === 0 || text.length > 200
      ? `${text.length} characters`
      : "a control character, such as a line break";
  throw misuse(
    `The secret has ${wrong}.`,
    "A secret is a single-line string of 1 to 200 characters.",
    "secret",
  );
}
