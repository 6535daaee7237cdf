import Database from "better-sqlite3";

/** Something that must be true in every world after every transaction: a query for the rows that violate it. */
interface Invariant {
  says: string;
  broken: string;
}

const ATTEMPT = "webhooks.attempt";
const TIMEOUT = "webhooks.timeout";
const RESUME = "webhooks.resume";
const EXPIRY = "payments.session_expiry";

/**
 * Tables that the invariants join, with an index on values inside JSON. They are temporary, so the database is not
 * changed.
 */
const VIEWS = `
  create temp table told as select seq, type, data ->> '$.id' as id, data ->> '$.webhook_id' as webhook_id,
      data ->> '$.consecutive_failures' as failures
    from journal where type in ('delivery.started', 'delivery.succeeded', 'delivery.failed', 'webhook.enabled');
  create index told_id on told (id, type);
  create temp table planned as select due, key, payload ->> '$.event_id' as event_id,
      payload ->> '$.webhook_id' as webhook_id, payload ->> '$.attempt' as attempt
    from timers where kind = '${ATTEMPT}';
  create index planned_plan on planned (event_id, webhook_id);
  create temp table counted as select coalesce(webhook_id, id) as webhook_id, max(seq) as seq, failures from told
    where failures is not null or type = 'webhook.enabled' group by 1;
`;

const INVARIANTS: readonly Invariant[] = [
  {
    says: "the journal has no gaps",
    broken:
      "select max(seq) as last, count(*) as entries from journal having coalesce(max(seq), 0) <> count(*)",
  },
  {
    says: "a planned attempt has its timer, or is under way",
    broken: `select p.event_id, p.webhook_id, p.next_attempt_at, t.due from webhook_plans p
      left join planned t on t.event_id = p.event_id and t.webhook_id = p.webhook_id
      where p.state = 'active' and (t.due is null or t.due <> p.next_attempt_at or t.attempt <> p.attempts + 1)
        and not exists (select 1 from webhook_deliveries d where d.event_id = p.event_id
          and d.webhook_id = p.webhook_id and d.ended_at is null and d.trigger = 'automatic')`,
  },
  {
    says: "an attempt's timer belongs to an active plan",
    broken: `select key from planned t where not exists (select 1 from webhook_plans p
      where p.event_id = t.event_id and p.webhook_id = t.webhook_id and p.state = 'active')`,
  },
  {
    says: "a plan that has ended plans nothing",
    broken:
      "select event_id, webhook_id, state from webhook_plans where state <> 'active' and next_attempt_at is not null",
  },
  {
    says: "a plan has made the attempts that it counts, each once",
    broken: `select p.event_id, p.webhook_id, p.attempts, count(d.id) as made, count(distinct d.attempt) as numbers
      from webhook_plans p left join webhook_deliveries d on d.event_id = p.event_id and d.webhook_id = p.webhook_id
        and d.trigger = 'automatic' and d.ended_at is not null
      group by p.event_id, p.webhook_id having made <> p.attempts or numbers <> made`,
  },
  {
    says: "a delivery belongs to an event and an endpoint",
    broken: `select id from webhook_deliveries where event_id not in (select id from webhook_events)
      or webhook_id not in (select id from webhooks)`,
  },
  {
    says: "a timeout and a resumption wait for a delivery that has not ended",
    broken: `select kind, key from timers where kind in ('${TIMEOUT}', '${RESUME}')
      and key not in (select id from webhook_deliveries where ended_at is null)`,
  },
  {
    says: "the journal has every attempt, and how it ended",
    broken: `select d.id, d.status, e.type from webhook_deliveries d
      left join told s on s.id = d.id and s.type = 'delivery.started'
      left join told e on e.id = d.id and e.type in ('delivery.succeeded', 'delivery.failed')
      where d.created_at >= (select start_at from world) and (s.seq is null or iif(d.ended_at is null, 'pending', d.status) <>
        case e.type when 'delivery.succeeded' then 'success' when 'delivery.failed' then 'failed' else 'pending' end)`,
  },
  {
    says: "the journal has no attempt that is not there",
    broken: `select seq, type from told where type <> 'webhook.enabled'
      and id not in (select id from webhook_deliveries)`,
  },
  {
    says: "an endpoint counts the failures that the journal counted last",
    broken: `select w.id, w.consecutive_failures, c.failures, c.seq from webhooks w join counted c on c.webhook_id = w.id
      where w.consecutive_failures <> coalesce(c.failures, 0)`,
  },
  {
    says: "a session that is active expires, and no other",
    broken: `select s.id, s.status, t.due from checkout_sessions s
      left join timers t on t.kind = '${EXPIRY}' and t.key = s.id
      where (s.status = 'active') <> (t.due is not null) or t.due <> s.expires_at`,
  },
  {
    says: "a completed session has its payment",
    broken: `select id from checkout_sessions where status = 'completed'
      and transaction_id not in (select id from transactions where status = 'completed')`,
  },
  {
    says: "the leaderboard has each player's best score",
    broken: `select b.game, b.player, b.score, max(s.score) as best from game_best_scores b
      join game_scores s on s.game = b.game and s.player = b.player group by b.game, b.player having b.score <> best`,
  },
];

/** Open it exclusively, because otherwise the bytes of a database with a write-ahead log cannot be read. */
function open(source: string | Uint8Array): Database.Database {
  const db = new Database(typeof source === "string" ? source : Buffer.from(source));
  db.pragma("locking_mode = EXCLUSIVE");
  return db;
}

/** Whether a file contains no tables because the process was killed before the world's first commit. */
export function isEmpty(file: string): boolean {
  const db = open(file);
  try {
    return db.prepare("select 1 from sqlite_master").get() === undefined;
  } finally {
    db.close();
  }
}

/** The invariants that a world's database violates, with the first rows that show it. */
export function brokenInvariants(source: string | Uint8Array): string[] {
  const db = open(source);
  try {
    const damage = db.pragma("integrity_check", { simple: true }) as string;
    if (damage !== "ok") return [`the database is damaged: ${damage}`];
    const tables = db.prepare("select name from sqlite_master where name = 'world'").all();
    if (tables.length === 0) return ["there is no world in the file"];
    db.exec(VIEWS);
    return INVARIANTS.flatMap(({ says, broken }) => {
      const rows = db.prepare(broken).all();
      return rows.length === 0 ? [] : [`it does not hold that ${says}: ${JSON.stringify(rows.slice(0, 3))}`];
    });
  } finally {
    db.close();
  }
}

/** The number of rows in a table of a snapshot. */
export function countRows(source: Uint8Array, table: string, where = "true"): number {
  const db = open(source);
  try {
    return db.prepare(`select count(*) from "${table}" where ${where}`).pluck().get() as number;
  } finally {
    db.close();
  }
}
