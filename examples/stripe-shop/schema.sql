create table if not exists events (id text primary key);
create table if not exists subscriptions (id text primary key, customer text not null, status text not null);
create table if not exists payments (id text primary key, amount integer not null, refunded integer not null default 0);
