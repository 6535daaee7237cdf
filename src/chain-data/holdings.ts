import { clip } from "../http/violation-text.ts";
import { compare } from "../runtime/compare.ts";
import type { Answers, Question, Resource } from "./answers.ts";
import type { Ask } from "./ask.ts";
import type { ChainDataContext } from "./context.ts";
import { type Cursor, fits, lastRow, lostCursor, nextPageParams, readCursor } from "./cursor.ts";
import { badRequest } from "./errors.ts";
import { askForHoldings } from "./fallback-holdings.ts";
import type { Overrides } from "./overrides.ts";
import type { Providers } from "./providers/registry.ts";
import { chainsOf, type Query, valuesOf } from "./query.ts";
import type { AddressToken } from "./schemas.ts";

export const TOKEN_TYPES = ["ERC-20", "ERC-721", "ERC-1155"] as const;
export const ADDRESS_PATTERN = /^0x([A-Fa-f0-9]{40})$/;

interface AskedHoldings {
  question: Question<AddressToken[], AddressToken>;
  /** The start of the page; undefined for the first page. */
  cursor: Cursor | undefined;
}

type HoldingsParts = { providers: Providers; overrides: Overrides; ask: Ask; answers: Answers };

/** An address's holdings, serialized page by page. See docs/fidelity.md, "Chain data: requests". */
export interface Holdings extends Resource<AskedHoldings, AddressToken> {
  /** @throws DataError 400 with the parameter and the expected value */
  read(addressHash: string, query: Query, host: string | undefined): AskedHoldings;
}

export function createHoldings(
  { settings }: ChainDataContext,
  { providers, overrides, ask, answers }: HoldingsParts,
): Holdings {
  const rank = new Map(settings.chains.map((chain, index) => [chain, index]));
  const rankOf = (chain: number) => rank.get(chain) ?? settings.chains.length;
  const usualChains = inOrder(settings.chains);

  /** A listing's chains in fallback order: the configured order, then by id. */
  function inOrder(chains: readonly number[]): readonly number[] {
    return chains.length < 2 ? chains : [...chains].sort((a, b) => rankOf(a) - rankOf(b) || a - b);
  }

  return {
    read(addressHash, query, host) {
      if (!ADDRESS_PATTERN.test(addressHash))
        throw badRequest(`address_hash must match ${ADDRESS_PATTERN.source}, not '${clip(addressHash)}'.`);
      const address = addressHash.toLowerCase();
      const types = readTypes(query);
      const named = chainsOf(query, host);
      const chains = named.length > 0 ? inOrder(named) : usualChains;
      const keep = types.length === 0 ? () => true : ({ token }: AddressToken) => types.includes(token.type);
      const filter = types.length === 0 ? "" : `&type=${types.join(",")}`;
      return {
        cursor: readCursor(query),
        question: {
          key: `holdings?address=${address}&chain_id=${chains.join(",")}${filter}`,
          address,
          chains,
          ask: (pin) =>
            askForHoldings(ask, providers, {
              address,
              chains,
              keep,
              pin,
              substitute: (provider, chain) => overrides.substitute(provider, address, chain),
            }),
          sort: (found) => [...found].sort(compareRows),
          count: (rows) => rows.length,
        },
      };
    },

    answer: ({ question, cursor }) => answers.ask(question, cursor !== undefined),

    text({ found: rows }, { cursor }) {
      const { start } = cursor ?? { start: 0 };
      if (cursor) {
        const before = start % settings.pageSize === 0 && start < rows.length ? rows[start - 1] : undefined;
        if (!before || !fits(cursor, lastRow(before))) throw lostCursor(cursor);
      }
      const items = rows.slice(start, start + settings.pageSize);
      const end = start + items.length;
      const next = end < rows.length ? nextPageParams(items.at(-1)!, end) : null;
      return JSON.stringify({ items, next_page_params: next });
    },
  };
}

/** The token types to show, sorted and without duplicates. An empty list means all. */
function readTypes(query: Query): string[] {
  const parameters = valuesOf(query, "type");
  if (parameters.length === 0) return [];
  const wanted = parameters
    .flatMap((text) => text.replace(/^\[(.*)\]$/s, "$1").split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
  const types = wanted.map((text) => {
    const tokenType = TOKEN_TYPES.find((type) => type === text.toUpperCase());
    if (tokenType) return tokenType;
    throw badRequest(
      `type must be a comma-separated list of ${TOKEN_TYPES.join(", ")}, not '${clip(text)}'.`,
    );
  });
  return [...new Set(types)].sort();
}

/**
 * A listing's sort order: value as a number, largest first, then type, name, id and address. No two rows are equal in all
 * of them, so paging returns each row exactly once. See docs/fidelity.md, "Chain data: requests".
 */
function compareRows(a: AddressToken, b: AddressToken): number {
  return (
    compareDigits(b.value, a.value) ||
    compare(a.token.type, b.token.type) ||
    compare(a.token.name ?? "", b.token.name ?? "") ||
    compareIds(a.token_id ?? "", b.token_id ?? "") ||
    compare(a.token.address.toLowerCase(), b.token.address.toLowerCase())
  );
}

/** Compares decimal numbers of any length. */
function compareDigits(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return left.length - right.length || compare(left, right);
}

function compareIds(a: string, b: string): number {
  return /^\d+$/.test(a) && /^\d+$/.test(b) ? compareDigits(a, b) || compare(a, b) : compare(a, b);
}
