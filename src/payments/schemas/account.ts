import { type Static, Type } from "typebox";
import { Instant, listQuery, nullable, oneOf, shape, text } from "../../http/shapes.ts";
import { API_KEY_STATUSES, AUDIT_EVENT_TYPES, PERMISSIONS } from "../words.ts";
import { Address, ChainId, Description, Expiry, HttpUrl, Name } from "./common.ts";

const Permission = oneOf(PERMISSIONS);
const Permissions = Type.Array(Permission, { minItems: 1, maxItems: 3, examples: [["read", "write"]] });
export const ApiKeyCreate = shape(
  "ApiKeyCreate",
  {
    name: Name,
    permission: Type.Optional(Permission),
    permissions: Type.Optional(Permissions),
    expires_at: Type.Optional(Expiry),
  },
  { description: "Requires `permission` or `permissions`. In `permissions`, the highest level counts." },
);
const apiKeyFields = {
  object: Type.Literal("api_key"),
  id: Type.String(),
  name: Type.String(),
  permission: Permission,
  permissions: Permissions,
  prefix: text("The key's first characters."),
  status: oneOf(API_KEY_STATUSES),
  expires_at: nullable(Instant),
  revoked_at: nullable(Instant),
  last_used_at: nullable(Type.String({ ...Instant, description: "To the minute." })),
  created_at: Instant,
  updated_at: Instant,
};
export const ApiKey = shape("ApiKey", apiKeyFields);
export const ApiKeyCreated = shape("ApiKeyCreated", {
  ...apiKeyFields,
  key: text("Shown only here."),
});
export const ApiKeyRevoked = shape("ApiKeyRevoked", {
  object: Type.Literal("api_key"),
  id: Type.String(),
  deleted: Type.Literal(true),
  revoked_at: Instant,
});
export const ApiKeyListQuery = listQuery(["created_at", "updated_at"], {});

export const AuditEvent = shape("AuditEvent", {
  object: Type.Literal("event"),
  id: Type.String(),
  event_type: oneOf(AUDIT_EVENT_TYPES),
  resource_type: Type.String(),
  resource_id: Type.String(),
  ip_address: Type.String(),
  request_method: Type.String(),
  request_path: Type.String(),
  status_code: Type.Integer(),
  created_at: Instant,
});
export const AuditEventList = shape("AuditEventList", {
  success: Type.Boolean(),
  data: Type.Array(AuditEvent),
  pagination: Type.Object({
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
    total_pages: Type.Integer(),
  }),
});
export const AuditEventQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  type: Type.Optional(
    Type.String({ maxLength: 64, description: "An event type, for example payment_link.created." }),
  ),
  event_type: Type.Optional(Type.String({ maxLength: 64, description: "Another name for `type`." })),
  resource_type: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(
    Type.String({ format: "instant", description: "Only events at or after this time, ISO 8601." }),
  ),
  to: Type.Optional(
    Type.String({ format: "instant", description: "Only events at or before this time, ISO 8601." }),
  ),
});

export const OrganizationUpdate = shape("OrganizationUpdate", {
  name: Type.Optional(Name),
  description: Type.Optional(nullable(Description)),
  logo_url: Type.Optional(nullable(HttpUrl)),
  website_url: Type.Optional(nullable(HttpUrl)),
  default_recipient_address: Type.Optional(Address),
  default_chain_id: Type.Optional(ChainId),
  default_token_address: Type.Optional(Address),
});
export type OrganizationUpdate = Static<typeof OrganizationUpdate>;

export const Organization = shape("Organization", {
  object: Type.Literal("organization"),
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  description: nullable(Type.String()),
  logo_url: nullable(Type.String()),
  website_url: nullable(Type.String()),
  default_recipient_address: Address,
  default_chain_id: ChainId,
  default_token_address: Address,
  created_at: Instant,
  updated_at: Instant,
});
