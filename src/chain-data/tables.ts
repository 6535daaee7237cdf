/**
 * The chain-data area's tables. Times are virtual milliseconds since the epoch. A cached answer is kept as
 * ready-made texts: pages of a listing by the row they start at, tokens of a lookup by the place of their symbol.
 */
export const DATA_TABLES = [
  `create table data_cache (
    id integer primary key, key text not null unique, address text, providers text not null, chains text not null,
    rows integer not null, stored_at integer not null, expires_at integer not null
  );
  create index data_cache_address on data_cache (address) where address is not null;
  create table data_parts (
    entry integer not null, start integer not null, body blob not null, value text, token_type text, token_name text,
    primary key (entry, start)
  );
  create table data_tokens (
    chain_id integer not null, token_address text not null, token text not null, primary key (chain_id, token_address)
  ) without rowid;
  create table data_holdings (
    address text not null, chain_id integer not null, items text not null, set_at integer not null,
    primary key (address, chain_id)
  );`,
];
