import Database from "better-sqlite3";

const TABLES = `
  create table if not exists codes (code text primary key, percent integer not null, max_uses integer not null);
  create table if not exists orders (
    id text primary key, email text not null, code text references codes, amount integer not null, status text not null
  );
  create table if not exists payments (id text primary key, order_id text, amount text not null);
  create table if not exists mails (order_id text primary key, address text not null, sent integer not null default 0);
  create table if not exists handled (event text not null, id text not null, primary key (event, id));
  insert or ignore into codes values ('WELCOME', 20, 100), ('LAST', 50, 1);
`;

/** Opens the shop's database, and makes its tables. Amounts are in the smallest unit of the token. */
export function openDatabase(path) {
  const database = new Database(path);
  database.pragma("journal_mode = wal");
  database.exec(TABLES);
  return database;
}
