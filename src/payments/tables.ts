import { IN_PROGRESS } from "./words.ts";

/**
 * The payments area's tables. Times are virtual milliseconds since the epoch, flags are 0 or 1, amounts are decimal
 * strings in a token's smallest unit, free-form objects are JSON text. Each sort order of a list has an index, and each
 * filter has a narrow index for counting and for finding rare rows (http/listing.ts). test/payments/query-plans.test.ts
 * checks that no request scans a whole history to return only part of it.
 */
export const PAYMENT_TABLES = [
  `create table organizations (
    id text primary key, name text not null, owner_email text not null,
    default_chain_id integer not null, default_token_address text not null, default_recipient_address text not null,
    position integer not null, slug text not null unique, description text, logo_url text, website_url text,
    created_at integer instant not null, updated_at integer instant not null
  ) without rowid;
  create table api_keys (
    id text primary key, org text not null, name text not null, permission text not null, prefix text not null,
    hash text not null unique, expires_at integer instant, revoked_at integer instant, last_used_at integer instant,
    created_at integer instant not null, updated_at integer instant not null
  );
  create table payment_links (
    id text primary key, org text not null, name text not null, name_folded text not null, short_code text not null unique,
    description text, amount text, token_address text not null, chain_id integer not null, recipient_address text not null,
    active integer not null, current_uses integer not null, max_uses integer, expires_at integer instant, product_id text,
    return_url text, created_at integer instant not null, updated_at integer instant not null
  ) without rowid;
  create index payment_links_org on payment_links (org, created_at, id);`,
  `create table checkout_sessions (
    id text primary key, org text not null, payment_link_id text, status text not null,
    amount text, token_address text not null, chain_id integer not null, recipient_address text not null,
    client_reference_id text, metadata text not null, customer_email text, customer_name text,
    success_url text, cancel_url text, discount_code text, transaction_id text, widget_id text,
    expires_at integer instant not null, completed_at integer instant, expired_at integer instant,
    created_at integer instant not null, updated_at integer instant not null, seeded integer not null default 0
  );
  create index checkout_sessions_org on checkout_sessions (org, created_at, id, status);
  create index checkout_sessions_updated on checkout_sessions (org, updated_at, id);
  create index checkout_sessions_expires on checkout_sessions (org, expires_at, id);
  create index checkout_sessions_status on checkout_sessions (org, status);
  create index checkout_sessions_link on checkout_sessions (payment_link_id, org, status);
  create index checkout_sessions_widget on checkout_sessions (widget_id, created_at) where widget_id is not null;
  create index checkout_sessions_reference on checkout_sessions (client_reference_id) where client_reference_id is not null;
  create table transactions (
    id text primary key, org text not null, session_id text, payment_link_id text, status text not null,
    amount text not null, token_address text not null, chain_id integer not null,
    sender_address text not null, recipient_address text not null, tx_hash text not null,
    form_data text not null, discount_code text, failure_reason text, customer_id text,
    completed_at integer instant, failed_at integer instant, created_at integer instant not null, updated_at integer instant not null
  );
  create index transactions_org on transactions (org, created_at, id);
  create index transactions_updated on transactions (org, updated_at, id);
  create index transactions_completed on transactions (org, completed_at, id);
  create index transactions_in_progress on transactions (org) where ${IN_PROGRESS};
  create index transactions_status on transactions (org, status);
  create index transactions_chain on transactions (org, chain_id);
  create index transactions_link on transactions (payment_link_id, org);
  create index transactions_session on transactions (session_id, org);
  create index transactions_customer on transactions (customer_id, org);
  create table customers (
    id text primary key, org text not null, wallet_address text not null, name text, email text, metadata text not null,
    folded text not null, transaction_count integer not null, paid_cents integer not null,
    first_payment_at integer instant, last_payment_at integer instant, created_at integer instant not null, updated_at integer instant not null,
    unique (org, wallet_address)
  );
  create index customers_org on customers (org, created_at, id);
  create index customers_updated on customers (org, updated_at, id);
  create index customers_last_payment on customers (org, last_payment_at, id);
  create index customers_paid on customers (org, paid_cents, id);
  create index customers_count on customers (org, transaction_count, id);`,
  `create table products (
    id text primary key, org text not null, name text not null, description text, amount text,
    token_address text, chain_id integer, image_url text, active integer not null, metadata text not null,
    created_at integer instant not null, updated_at integer instant not null
  );
  create index products_org on products (org, created_at, id);
  create table discount_codes (
    id text primary key, org text not null, code text not null, discount_type text not null, discount_value text not null,
    min_order_amount text, max_uses integer, current_uses integer not null, expires_at integer instant, payment_link_id text,
    active integer not null, created_at integer instant not null, updated_at integer instant not null, unique (org, code)
  );
  create table widgets (
    id text primary key, org text not null, short_code text not null unique, name text not null, description text,
    widget_type text not null, config text not null, theme text not null, payment_link_id text, active integer not null,
    current_views integer not null, created_at integer instant not null, updated_at integer instant not null
  );
  create index widgets_org on widgets (org, created_at, id);
  create table widget_views (
    widget_id text not null, day text not null, views integer not null, primary key (widget_id, day)
  ) without rowid;
  create table notification_settings (
    org text primary key, email text not null, email_enabled integer not null,
    telegram_enabled integer not null, telegram_chat_id text, enabled_events text not null, updated_at integer instant not null
  ) without rowid;
  create table audit_events (
    id text not null, org text not null, event_type text not null, resource_type text not null, resource_id text not null,
    ip_address text not null, request_method text not null, request_path text not null, status_code integer not null,
    created_at integer instant not null
  );
  create index audit_events_org on audit_events (org, created_at, id);
  create table idempotency_keys (
    org text not null, key text not null, fingerprint text not null, status integer not null, body text not null,
    created_at integer instant not null, primary key (org, key)
  ) without rowid;`,
  `create table mail (
    id text primary key, org text not null, recipient text not null, subject text not null, text text not null,
    webhook_id text, created_at integer instant not null
  );
  create index mail_webhook on mail (webhook_id, created_at) where webhook_id is not null;`,
];
