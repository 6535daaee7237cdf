import { worldHtml } from "../reports/html.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { endpointsOf, mailOf } from "./outcome.ts";

/** The maximum number of entries to read, which is more than the page shows. */
const ENTRIES = 100_000;

/**
 * Shows a world's events in one HTML file: timelines, e-mails and the journal.
 * @param after the page shows only entries after the one with this `seq`
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
