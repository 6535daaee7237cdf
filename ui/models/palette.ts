import type { CheckoutSession, Webhook } from "../api-types.ts";
import { hasWords } from "./filters.ts";
import { hrefOfId } from "./ids.ts";
import { href } from "./router.ts";

/** Something that the palette can do or go to. */
export interface Command {
  title: string;
  /** What it is: a view, an action, an endpoint, a payment. */
  kind: string;
  /** The key that does it without the palette. */
  key?: string | undefined;
  /** The address that it goes to, or what it does. */
  run: string | (() => unknown);
}

/** How many are offered at a time. */
const SHOWN = 9;

/** What fits what is typed. An id leads where it leads, whatever else fits. */
export function findCommands(commands: readonly Command[], typed: string): Command[] {
  const text = typed.trim();
  const place = hrefOfId(text);
  const direct: Command[] = place === undefined ? [] : [{ title: text, kind: "Id", run: place }];
  const fitting = commands.filter(({ title, kind }) => hasWords(`${title} ${kind}`, text));
  return [...direct, ...fitting].slice(0, SHOWN);
}

export function endpointCommands(endpoints: readonly Webhook[]): Command[] {
  return endpoints.map(({ id, url }) => ({
    title: `${url} ${id}`,
    kind: "Endpoint",
    run: href(["webhooks", id]),
  }));
}

/** Sessions by the reference that the shop gave them. */
export function referenceCommands(sessions: readonly CheckoutSession[]): Command[] {
  return sessions.flatMap(({ id, client_reference_id: reference, status }) =>
    reference
      ? [{ title: `${reference}, ${status}`, kind: "Payment", run: href(["payments", "story", id]) }]
      : [],
  );
}
