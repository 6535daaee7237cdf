import { type Static, Type } from "typebox";
import { Address, ChainId, Description, HttpUrl, Instant, Name, Nullable } from "./common.ts";

export const OrganizationUpdate = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Nullable(Description)),
    logo_url: Type.Optional(Nullable(HttpUrl)),
    website_url: Type.Optional(Nullable(HttpUrl)),
    default_recipient_address: Type.Optional(Address),
    default_chain_id: Type.Optional(ChainId),
    default_token_address: Type.Optional(Address),
  },
  { title: "OrganizationUpdate" },
);
export type OrganizationUpdate = Static<typeof OrganizationUpdate>;

export const Organization = Type.Object(
  {
    object: Type.Literal("organization"),
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    description: Nullable(Type.String()),
    logo_url: Nullable(Type.String()),
    website_url: Nullable(Type.String()),
    default_recipient_address: Address,
    default_chain_id: ChainId,
    default_token_address: Address,
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Organization" },
);
