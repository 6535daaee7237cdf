import type { AddressToken } from "../schemas.ts";
import { EXPLORER_PAGE, holdingsPath } from "./explorer.ts";
import { coinsPath, INDEXER_PAGE, piecesPath } from "./indexer.ts";
import type { Provider } from "./provider.ts";
import type { Definition } from "./recordings.ts";

/**
 * Builds recordings of a provider's responses for an address with these tokens, so that holdings set by the user take
 * the same path as recorded ones.
 */
export function holdingsDefinitions(
  provider: Provider,
  address: string,
  chain: number,
  items: readonly AddressToken[],
): Definition[] {
  return provider.kind === "explorer"
    ? explorerPages(provider, address, items)
    : [
        ...indexerPages(provider, (page) => coinsPath(address, chain, page), coinsOf(items, chain)),
        ...indexerPages(provider, (page) => piecesPath(address, chain, page), piecesOf(items, chain)),
      ];
}

function answered(provider: Provider, path: string, response: unknown): Definition {
  const { origin, pathname } = new URL(provider.baseUrl);
  const base = pathname === "/" ? "" : pathname;
  return { scope: origin, method: "GET", path: base + path, status: 200, response };
}

function explorerPages(provider: Provider, address: string, items: readonly AddressToken[]): Definition[] {
  const pages = chunks(items, EXPLORER_PAGE);
  let next: Record<string, unknown> | undefined;
  return pages.map((page, index) => {
    const path = holdingsPath(address, next);
    const count = index * EXPLORER_PAGE + page.length;
    next = { items_count: count, value: page.at(-1)?.value ?? null };
    return answered(provider, path, {
      items: page,
      next_page_params: index + 1 < pages.length ? next : null,
    });
  });
}

/** A full last page is followed by an empty one: the indexer has no other way to mark the end. */
function indexerPages(
  provider: Provider,
  path: (page: number) => string,
  rows: readonly unknown[],
): Definition[] {
  const pages = chunks(rows, INDEXER_PAGE);
  if (pages.at(-1)!.length === INDEXER_PAGE) pages.push([]);
  return pages.map((page, index) => answered(provider, path(index), { data: page }));
}

const coinsOf = (items: readonly AddressToken[], chain: number) =>
  items
    .filter(({ token }) => token.type === "ERC-20")
    .map(({ value, token }) => ({
      chain_id: chain,
      token_address: token.address.toLowerCase(),
      balance: value,
      name: token.name,
      symbol: token.symbol,
      decimals: token.decimals === null ? null : Number(token.decimals),
      ...(token.exchange_rate === null ? {} : { price_data: { price_usd: Number(token.exchange_rate) } }),
    }));

/** The indexer returns single tokens only; rows for whole collections come from the explorer. */
const piecesOf = (items: readonly AddressToken[], chain: number) =>
  items
    .filter(
      ({ token, token_id: id }) => id !== null && (token.type === "ERC-721" || token.type === "ERC-1155"),
    )
    .map(({ value, token, token_id, token_instance: instance }) => ({
      chain_id: chain,
      contract_address: token.address.toLowerCase(),
      token_id,
      token_type: token.type === "ERC-721" ? "erc721" : "erc1155",
      balance: value,
      ...(instance?.owner ? { owner_addresses: [instance.owner.hash] } : {}),
      name: instance?.metadata?.name ?? null,
      description: instance?.metadata?.description ?? null,
      image_url: instance?.image_url ?? null,
      animation_url: instance?.animation_url ?? null,
      external_url: instance?.external_app_url ?? null,
      ...(instance?.metadata ? { extra_metadata: instance.metadata } : {}),
      contract: {
        chain_id: chain,
        address: token.address.toLowerCase(),
        name: token.name,
        symbol: token.symbol,
      },
    }));

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const pages: Item[][] = [];
  for (let start = 0; start === 0 || start < items.length; start += size)
    pages.push(items.slice(start, start + size));
  return pages;
}
