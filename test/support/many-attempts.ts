import type { World } from "../../src/world/world.ts";

const MINUTE = 60_000;
/** When the four attempts of an event are made, counted from the first one. */
const SCHEDULE = [0, MINUTE, 11 * MINUTE, 71 * MINUTE];
/** The time between two events. Some fifty events are open at a time, which is more than there are lanes. */
const APART = 80_000;

/**
 * Gives an endpoint a history of many attempts, as an unreliable subscriber would cause: for each event, three attempts
 * fail and the fourth succeeds. The last attempt is made just before now.
 */
export function writeManyAttempts(
  { store, clock }: Pick<World, "store" | "clock">,
  webhookId: string,
  count: number,
): void {
  const events = Math.ceil(count / SCHEDULE.length);
  const attempts = Array.from({ length: events }, (_, event) =>
    SCHEDULE.map((after, index) => ({ event, attempt: index + 1, at: event * APART + after })),
  )
    .flat()
    .sort((a, b) => a.at - b.at);
  const begin = clock.now() - attempts.at(-1)!.at - MINUTE;
  const insert = store.sql(
    `insert into webhook_deliveries (id, org, webhook_id, event_id, event, status, attempt, trigger, url, error, response_code,
       request_headers, duration_ms, consecutive_failures, started_at, ended_at, created_at)
     values (?, 'org', ?, ?, 'payment.completed', ?, ?, 'automatic', '', ?, ?, '{}', 12, ?, ?, ?, ?)`,
  );
  const insertEvent = store.sql(
    "insert into webhook_events (id, org, type, data, created_at) values (?, 'org', 'payment.completed', '{}', ?)",
  );
  let failures = 0;
  store.transaction(() => {
    for (const [index, { event, attempt, at }] of attempts.entries()) {
      const ok = attempt === SCHEDULE.length;
      if (attempt === 1) insertEvent.run(`evt_${event}`, begin + at);
      failures = ok ? 0 : failures + 1;
      insert.run(
        `del_${index}`,
        webhookId,
        `evt_${event}`,
        ok ? "success" : "failed",
        attempt,
        ok ? null : "status",
        ok ? 200 : 503,
        failures,
        begin + at,
        begin + at,
        begin + at,
      );
    }
  });
}
