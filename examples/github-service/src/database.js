import { DatabaseSync } from "node:sqlite";

export const database = new DatabaseSync(process.env.REVIEWS_FILE ?? "reviews.db");
database.exec(`
  create table if not exists deliveries (id text primary key);
  create table if not exists pull_requests (id integer primary key, title text not null, state text not null);
`);
