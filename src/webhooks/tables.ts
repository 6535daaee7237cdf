/**
 * The engine's tables. Times are virtual milliseconds since the epoch, flags are 0 or 1, free-form objects are JSON text.
 */
export const WEBHOOK_TABLES = [
  `create table webhooks (
    id text primary key, org text not null, sender text not null default 'platform', url text not null, events text not null, description text,
    secret text not null, status text not null, consecutive_failures integer not null, first_failed_at integer instant,
    disabled_at integer instant, disabled_reason text, last_delivery_at integer instant, deleted_at integer instant,
    created_at integer instant not null, updated_at integer instant not null, seeded integer not null default 0,
    confined_to text, headers text
  );
  create index webhooks_org on webhooks (org, created_at, id);
  create table webhook_events (
    id text primary key, org text not null, type text not null, data text not null, created_at integer instant not null
  );
  create index webhook_events_about on webhook_events (json_extract(data, '$.id'));
  create table webhook_plans (
    event_id text not null, webhook_id text not null, state text not null, reason text,
    attempts integer not null, next_attempt_at integer instant, created_at integer instant not null, updated_at integer instant not null,
    primary key (event_id, webhook_id)
  ) without rowid;
  create index webhook_plans_active on webhook_plans (webhook_id, next_attempt_at) where state = 'active';
  create index webhook_plans_skipped on webhook_plans (webhook_id, updated_at) where reason is not null;
  create table webhook_deliveries (
    id text primary key, org text not null, webhook_id text not null, event_id text not null, event text not null,
    status text not null, attempt integer not null, trigger text not null, retry_of text, url text not null,
    error text, error_detail text, response_code integer, response_headers text, response_body blob, response_size integer,
    request_headers text not null, duration_ms integer, fault text, consecutive_failures integer,
    next_attempt_at integer instant, started_at integer instant not null, ended_at integer instant, created_at integer instant not null
  );
  create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, created_at, id, status);
  create index webhook_deliveries_status on webhook_deliveries (webhook_id, status, event);
  create index webhook_deliveries_event on webhook_deliveries (event_id, webhook_id);
  create index webhook_deliveries_unfinished on webhook_deliveries (started_at) where ended_at is null;
  create index webhook_deliveries_failed on webhook_deliveries (started_at) where status = 'failed';
  create table webhook_state_changes (
    seq integer primary key, webhook_id text not null, change text not null, reason text, at integer instant not null
  );
  create index webhook_state_changes_webhook on webhook_state_changes (webhook_id, seq);`,
  `create table inbox_messages (
    seq integer primary key, inbox text not null, received_at integer instant not null, headers text not null, body text not null,
    signature text not null, answered integer not null
  );
  create index inbox_messages_inbox on inbox_messages (inbox, seq);
  create table inbox_behaviours (inbox text primary key, behaviour text not null, calls integer not null) without rowid;
  create table webhook_senders (name text primary key, description text not null) without rowid;
  create table sender_calls (
    seq integer primary key, sender text not null, call text not null, made text, params text not null, changes text,
    answer text not null, idempotency_key text, after_event integer not null, at integer instant not null
  );
  create index sender_calls_sender on sender_calls (sender, seq);`,
];
