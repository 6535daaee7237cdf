import { worldHtml } from "../reports/html.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { endpointsOf, mailOf } from "./outcome.ts";

/** A limit above the number of entries that the page shows. */
const ENTRIES = 100_000;

/**
 * A world's events as one HTML file: timelines, e-mails and the journal.
 * @param after the `seq` of the entry after which the page starts
 */
export function worldPage(sandbox: Sandbox, { title, after }: { title: string; after: number }): string {
  const { seed, clock } = sandbox.status();
  const journal = sandbox.journal.list({ after, limit: ENTRIES });
  return worldHtml({
    title,
    seed,
    now: clock.now,
    endpoints: endpointsOf(sandbox, after, journal[0]?.at ?? clock.now),
    journal,
    mail: mailOf(sandbox, after),
  });
}
