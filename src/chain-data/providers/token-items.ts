import type {
  AddressObject,
  AddressToken,
  InstanceMetadata,
  InstanceToken,
  TokenInstance,
  TokenSummary,
} from "../schemas.ts";
import {
  count,
  decimal,
  digits,
  flag,
  hexAddress,
  listOf,
  maybe,
  number,
  object,
  orNull,
  type Reader,
  record,
  text,
} from "./shape.ts";

const summaryFields = {
  name: orNull(text),
  decimals: orNull(digits),
  symbol: orNull(text),
  address: hexAddress,
  type: text,
  holders: orNull(count),
  exchange_rate: orNull(decimal),
  total_supply: orNull(digits),
};
const OTHER_NAMES = { address: "address_hash", holders: "holders_count" };

const tokenSummary: Reader<TokenSummary> = record(summaryFields, OTHER_NAMES);

const instanceToken: Reader<InstanceToken> = (value, path) => {
  const { holders, circulating_market_cap, icon_url, ...token } = record(
    { ...summaryFields, circulating_market_cap: maybe(decimal), icon_url: maybe(text) },
    OTHER_NAMES,
  )(value, path);
  return {
    ...token,
    holders: holders === null ? null : String(holders),
    circulating_market_cap,
    icon_url,
  };
};

const orEmpty =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, path) =>
    maybe(listOf(read))(value, path) ?? [];

const tag = record({ address_hash: text, display_name: text, label: text });

/** An address object. Unknown fields are null or empty. */
export const addressObject: Reader<AddressObject> = record({
  hash: hexAddress,
  implementation_name: maybe(text),
  name: maybe(text),
  is_contract: maybe(flag),
  private_tags: orEmpty(tag),
  watchlist_names: orEmpty(record({ display_name: text, label: text })),
  public_tags: orEmpty(tag),
  is_verified: maybe(flag),
  ens_domain_name: maybe(text),
  metadata: maybe(
    record({
      slug: maybe(text),
      name: maybe(text),
      tagType: maybe(text),
      ordinal: maybe(number),
      meta: maybe(object),
    }),
  ),
});

const tokenInstance: Reader<TokenInstance> = record({
  is_unique: orNull(flag),
  id: text,
  owner: maybe(addressObject),
  token: maybe(instanceToken),
  holder_address_hash: maybe(text),
  image_url: maybe(text),
  animation_url: maybe(text),
  external_app_url: maybe(text),
  metadata: (value, path) => instanceMetadata(maybe(object)(value, path)),
});

/**
 * One row of an explorer's listing, in the contract's format. The contract's fields are required, except in metadata
 * written by a token's author. Field names from newer explorers are accepted, too.
 * @throws InvalidShape
 */
export const tokenItem: Reader<AddressToken> = record({
  value: digits,
  token_id: orNull(text),
  token: tokenSummary,
  token_instance: orNull(tokenInstance),
});

const METADATA_TEXTS = ["name", "image_url", "home_url", "external_url", "description"] as const;

/**
 * An author's metadata may be any JSON. Fields in the contract are converted to the contract's types, or to null if they
 * are invalid.
 */
export function instanceMetadata(written: Record<string, unknown> | null): InstanceMetadata | null {
  if (written === null) return null;
  const metadata: InstanceMetadata = {};
  const { year, tags, attributes } = written;
  if (year !== undefined) metadata.year = Number.isFinite(year) ? (year as number) : null;
  if (tags !== undefined)
    metadata.tags = Array.isArray(tags) ? tags.filter((one) => typeof one === "string") : null;
  for (const name of METADATA_TEXTS) if (written[name] !== undefined) metadata[name] = asText(written[name]);
  if (attributes !== undefined)
    metadata.attributes = Array.isArray(attributes) ? attributes.map(attribute) : null;
  return metadata;
}

function attribute(written: unknown): { value: string | null; trait_type: string | null } {
  const { value, trait_type: trait } = Object(written) as Record<string, unknown>;
  return { value: asText(value), trait_type: asText(trait) };
}

function asText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}
