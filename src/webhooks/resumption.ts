import type { World } from "../world/world.ts";
import { type OpenAttempt, type Results, TIMEOUT_TIMER, UNANSWERED } from "./results.ts";
import type { DeliveryRow } from "./rows.ts";
import { RESUME_TIMER, type Sending } from "./sending.ts";
import { readFault } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/**
 * Finishes attempts that have no result: by a timeout on the virtual clock, or by resending them under the same id
 * after a crash or restore interrupted them. See docs/architecture.md, "Crashes".
 * @returns functions that plan to resend or record attempts that were in progress when the process, or their world,
 * ended
 */
export function createResumption(
  { store, clock, timers, journal, scheduler }: World,
  sending: Sending,
  results: Results,
  subscriptions: Subscriptions,
): () => void {
  const restart = store.sql(
    "update webhook_deliveries set url = ?, request_headers = ?, started_at = ? where id = ?",
  );
  const unfinished = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where id = ? and ended_at is null",
  );
  const interrupted = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where ended_at is null order by started_at, rowid",
  );

  scheduler.handle(TIMEOUT_TIMER, ({ key, payload }) => {
    const row = unfinished.get(key);
    const { response_code: responseCode } = payload as { response_code: number | null };
    if (row) results.record(openAttempt(row), { ...UNANSWERED, responseCode });
    return undefined;
  });

  scheduler.handle(RESUME_TIMER, ({ key }) => {
    const row = unfinished.get(key);
    if (!row) return undefined;
    if (row.status !== "pending") {
      results.recordShown(openAttempt(row), row);
      return undefined;
    }
    const open = { ...openAttempt(row), started_at: clock.now() };
    const { id, webhook_id, event_id, attempt, started_at } = open;
    const request = sending.prepare(subscriptions.target(webhook_id, open.event), open);
    restart.run(request.target.url, JSON.stringify(request.headers), started_at, id);
    journal.append("delivery.resumed", { id, webhook_id, event_id, attempt });
    return () => sending.send(open, request);
  });

  return () =>
    store.transaction(() => {
      for (const { id, started_at: at } of interrupted.all())
        if (!timers.get(TIMEOUT_TIMER, id)) timers.set(RESUME_TIMER, id, at);
    });
}

const openAttempt = (row: DeliveryRow): OpenAttempt => ({
  ...row,
  fault: row.fault === null ? null : readFault(row.fault),
});
