import { MAX_UPSTREAM_PAGES } from "../limits.ts";
import type { AddressToken, TokenLookup } from "../schemas.ts";

export type FailureReason =
  | "timeout"
  | "connection_refused"
  | "unreachable"
  | "status"
  | "invalid_json"
  | "invalid_shape"
  | "too_many_pages";

/** A provider failed, so the next one is queried. */
export class UpstreamFailure extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason, message: string) {
    super(message);
    this.name = "UpstreamFailure";
    this.reason = reason;
  }
}

/** A provider rejected the request itself (400), so no other is queried. */
export class UpstreamRefusal extends Error {}

/**
 * Makes one provider call. `path` includes the query and is relative to the base URL. Returns the result of `read`, or
 * undefined for a 404, which means that the provider found nothing.
 * @throws UpstreamFailure, UpstreamRefusal
 */
export type Get = <Page extends { rows: readonly unknown[] }>(
  path: string,
  read: (body: unknown) => Page,
) => Promise<Page | undefined>;

/** A client for one upstream: its URL, its paths, and the conversion of its responses to the contract's types. */
export interface Provider {
  readonly name: string;
  readonly kind: "explorer" | "indexer";
  /** The chain that it covers; null for all chains. */
  readonly chain: number | null;
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Fungible tokens that may have this symbol. */
  tokens(get: Get, symbol: string, chains: readonly number[]): Promise<TokenLookup[]>;
  /** All holdings of an address on a chain, in the provider's order. */
  holdings(get: Get, address: string, chain: number): Promise<AddressToken[]>;
}

/** Reads pages until `next` returns no path or a page is missing. */
export async function walk<Row>(
  get: Get,
  first: string,
  read: (body: unknown) => { rows: readonly Row[]; next: string | null },
): Promise<Row[]> {
  const rows: Row[] = [];
  let path: string | null = first;
  for (let page = 0; path !== null; page += 1) {
    if (page === MAX_UPSTREAM_PAGES)
      throw new UpstreamFailure("too_many_pages", `There are more rows after ${MAX_UPSTREAM_PAGES} pages.`);
    const answer: { rows: readonly Row[]; next: string | null } | undefined = await get(path, read);
    if (answer === undefined && page > 0)
      throw new UpstreamFailure("status", "A page in the middle of the listing is missing.");
    for (const row of answer?.rows ?? []) rows.push(row);
    path = answer?.next ?? null;
  }
  return rows;
}
