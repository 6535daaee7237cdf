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
  fieldsOf,
  flag,
  hexAddress,
  listOf,
  number,
  object,
  orNull,
  type Reader,
  text,
} from "./shape.ts";

/**
 * One row of an explorer's listing, in the contract's shape. What the contract names has to be there, except in
 * what a token's author wrote; names that newer explorers use for the same are taken, too.
 * @throws InvalidShape
 */
export const tokenItem: Reader<AddressToken> = (value, path) => {
  const item = fieldsOf(value, path);
  return {
    value: item.need(digits, "value"),
    token_id: item.need(orNull(text), "token_id"),
    token: item.need(tokenSummary, "token"),
    token_instance: item.need(orNull(tokenInstance), "token_instance"),
  };
};

const tokenSummary: Reader<TokenSummary> = (value, path) => {
  const token = fieldsOf(value, path);
  return {
    name: token.need(orNull(text), "name"),
    decimals: token.need(orNull(digits), "decimals"),
    symbol: token.need(orNull(text), "symbol"),
    address: token.need(hexAddress, "address", "address_hash"),
    type: token.need(text, "type"),
    holders: token.need(orNull(count), "holders", "holders_count"),
    exchange_rate: token.need(orNull(decimal), "exchange_rate"),
    total_supply: token.need(orNull(digits), "total_supply"),
  };
};

const instanceToken: Reader<InstanceToken> = (value, path) => {
  const token = fieldsOf(value, path);
  const { holders, ...summary } = tokenSummary(value, path);
  return {
    ...summary,
    holders: holders === null ? null : String(holders),
    circulating_market_cap: token.maybe(orNull(decimal), "circulating_market_cap") ?? null,
    icon_url: token.maybe(orNull(text), "icon_url") ?? null,
  };
};

const tokenInstance: Reader<TokenInstance> = (value, path) => {
  const instance = fieldsOf(value, path);
  const maybeText = (name: string) => instance.maybe(orNull(text), name) ?? null;
  return {
    is_unique: instance.need(orNull(flag), "is_unique"),
    id: instance.need(text, "id"),
    owner: instance.maybe(orNull(addressObject), "owner") ?? null,
    token: instance.maybe(orNull(instanceToken), "token") ?? null,
    holder_address_hash: maybeText("holder_address_hash"),
    image_url: maybeText("image_url"),
    animation_url: maybeText("animation_url"),
    external_app_url: maybeText("external_app_url"),
    metadata: instanceMetadata(instance.maybe(orNull(object), "metadata") ?? null),
  };
};

const tag = (value: unknown, path: string) => {
  const fields = fieldsOf(value, path);
  return {
    address_hash: fields.need(text, "address_hash"),
    display_name: fields.need(text, "display_name"),
    label: fields.need(text, "label"),
  };
};

const watchlistName = (value: unknown, path: string) => {
  const fields = fieldsOf(value, path);
  return { display_name: fields.need(text, "display_name"), label: fields.need(text, "label") };
};

const addressMetadata = (value: unknown, path: string) => {
  const fields = fieldsOf(value, path);
  return {
    slug: fields.maybe(orNull(text), "slug") ?? null,
    name: fields.maybe(orNull(text), "name") ?? null,
    tagType: fields.maybe(orNull(text), "tagType") ?? null,
    ordinal: fields.maybe(orNull(number), "ordinal") ?? null,
    meta: fields.maybe(orNull(object), "meta") ?? null,
  };
};

const addressObject: Reader<AddressObject> = (value, path) => {
  const address = fieldsOf(value, path);
  return {
    hash: address.need(hexAddress, "hash"),
    implementation_name: address.maybe(orNull(text), "implementation_name") ?? null,
    name: address.maybe(orNull(text), "name") ?? null,
    is_contract: address.maybe(orNull(flag), "is_contract") ?? null,
    private_tags: address.maybe(listOf(tag), "private_tags") ?? [],
    watchlist_names: address.maybe(listOf(watchlistName), "watchlist_names") ?? [],
    public_tags: address.maybe(listOf(tag), "public_tags") ?? [],
    is_verified: address.maybe(orNull(flag), "is_verified") ?? null,
    ens_domain_name: address.maybe(orNull(text), "ens_domain_name") ?? null,
    metadata: address.maybe(orNull(addressMetadata), "metadata") ?? null,
  };
};

const METADATA_TEXTS = ["name", "image_url", "home_url", "external_url", "description"] as const;

/**
 * What a token's author wrote: any JSON. Of the contract's fields it keeps those that are there, as the types
 * that the contract gives them; what cannot be read so is null.
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
