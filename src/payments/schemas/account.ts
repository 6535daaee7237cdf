import { type Static, Type } from "typebox";
import { AUDIT_EVENT_TYPES } from "../audit.ts";
import { Expiry, Instant, listOf, listQuery, Name, Nullable } from "./common.ts";

// API keys

const Permission = Type.Unsafe<"read" | "write" | "admin">({
  type: "string",
  enum: ["read", "write", "admin"],
});
const Permissions = Type.Array(Permission, { minItems: 1, maxItems: 3, examples: [["read", "write"]] });
export const ApiKeyCreate = Type.Object(
  {
    name: Name,
    permission: Type.Optional(Permission),
    permissions: Type.Optional(Permissions),
    expires_at: Type.Optional(Expiry),
  },
  { title: "ApiKeyCreate", description: "Needs `permission`, or `permissions`, whose highest level counts." },
);
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;
const apiKeyFields = {
  object: Type.Literal("api_key"),
  id: Type.String(),
  name: Type.String(),
  permission: Permission,
  permissions: Permissions,
  prefix: Type.String({ description: "The key's first characters." }),
  status: Type.Unsafe<string>({ type: "string", enum: ["active", "expired", "revoked"] }),
  expires_at: Nullable(Instant),
  revoked_at: Nullable(Instant),
  last_used_at: Nullable(Type.String({ ...Instant, description: "To the minute." })),
  created_at: Instant,
  updated_at: Instant,
};
export const ApiKey = Type.Object(apiKeyFields, { title: "ApiKey" });
export const ApiKeyCreated = Type.Object(
  { ...apiKeyFields, key: Type.String({ description: "Shown only here." }) },
  { title: "ApiKeyCreated" },
);
export const ApiKeyList = listOf(ApiKey, "ApiKeyList");
export const ApiKeyRevoked = Type.Object(
  { object: Type.Literal("api_key"), id: Type.String(), deleted: Type.Literal(true), revoked_at: Instant },
  { title: "ApiKeyRevoked" },
);
export const ApiKeyListQuery = listQuery(["created_at", "updated_at"], {});

// Audit events

export const AuditEvent = Type.Object(
  {
    object: Type.Literal("event"),
    id: Type.String(),
    event_type: Type.Unsafe<string>({ type: "string", enum: [...AUDIT_EVENT_TYPES] }),
    resource_type: Type.String(),
    resource_id: Type.String(),
    ip_address: Type.String(),
    request_method: Type.String(),
    request_path: Type.String(),
    status_code: Type.Integer(),
    created_at: Instant,
  },
  { title: "AuditEvent" },
);
export const AuditEventList = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(AuditEvent),
    pagination: Type.Object({
      page: Type.Integer(),
      limit: Type.Integer(),
      total: Type.Integer(),
      total_pages: Type.Integer(),
    }),
  },
  { title: "AuditEventList" },
);
export const AuditEventQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  type: Type.Optional(
    Type.String({ maxLength: 64, description: "An event type, for example payment_link.created." }),
  ),
  event_type: Type.Optional(Type.String({ maxLength: 64, description: "Another name of `type`." })),
  resource_type: Type.Optional(Type.String({ maxLength: 64 })),
  from: Type.Optional(Type.String({ format: "instant", description: "Events at or after, ISO 8601." })),
  to: Type.Optional(Type.String({ format: "instant", description: "Events at or before, ISO 8601." })),
});
export type AuditEventQuery = Static<typeof AuditEventQuery>;
