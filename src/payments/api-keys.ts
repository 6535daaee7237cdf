import { createHash } from "node:crypto";
import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import { listPage, type Page, type PageQuery } from "../http/listing.ts";
import { clip } from "../http/violation-text.ts";
import { iso, MINUTE } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { Audit } from "./audit.ts";
import type { PaymentsContext } from "./context.ts";
import { invalidField, invalidTransition, missingField, notFound, PlatformError } from "./errors.ts";
import { asInstant } from "./patch.ts";
import { presenter } from "./present.ts";
import type { ApiKeyRow } from "./rows.ts";
import { ApiKey, type ApiKeyCreate, type ApiKeyCreated, type ApiKeyRevoked } from "./schemas/account.ts";
import { type ApiKeyStatus, PERMISSIONS, type Permission } from "./words.ts";

/** A permission level and all levels below it. */
const including = (permission: Permission): Permission[] =>
  PERMISSIONS.slice(0, PERMISSIONS.indexOf(permission) + 1);

/** The precision of `last_used_at`: writing it on every request would cost too much. */
const USE_PRECISION = MINUTE;

/** How many characters of a key may be shown after its creation. */
export const SHOWN_PREFIX = 14;

type Input = Static<typeof ApiKeyCreate>;

/** The API keys of all organizations. Only their hashes are stored. */
export interface ApiKeys {
  /**
   * Finds the key that a request was sent with. @throws PlatformError key_missing, key_invalid, key_revoked,
   * key_expired
   */
  authenticate(headers: Record<string, string | string[] | undefined>): ApiKeyRow;
  /**
   * Creates a key. Only this response shows it.
   * @throws PlatformError missing_required_field without a permission; invalid_field_value if two contradict each other
   */
  create(caller: Caller, input: Input): Static<typeof ApiKeyCreated>;
  /** @throws PlatformError resource_not_found */
  get(org: string, id: string): Static<typeof ApiKey>;
  list(org: string, query: PageQuery): Page<Static<typeof ApiKey>>;
  /**
   * Revokes a key permanently. Its row is kept, so later calls with the key fail with the actual reason.
   * @throws PlatformError resource_not_found; invalid_status_transition if it was already revoked
   */
  revoke(caller: Caller, id: string): Static<typeof ApiKeyRevoked>;
}

export function createApiKeys({ world }: PaymentsContext, audit: Audit): ApiKeys {
  const { store, ids, clock } = world;
  const byHash = store.sql<ApiKeyRow>("select * from api_keys where hash = ?");
  const byId = store.sql<ApiKeyRow>("select * from api_keys where id = ? and org = ?");
  const insert = inserter<ApiKeyRow, "last_used_at" | "revoked_at">(store, "api_keys");
  const revoke = store.sql("update api_keys set revoked_at = ?, updated_at = ? where id = ?");
  const use = store.sql("update api_keys set last_used_at = ? where id = ?");
  const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");
  /** Caches rows by key, because every call needs one. The cache is dropped when a key changes. */
  const rows = store.remember((key: string) => byHash.get(hashOf(key)));

  /** Draws a key that no organization uses yet: fixtures may contain a key that the seed would draw next. */
  function drawKey(): string {
    const key = `sk_sandbox_${ids.code("api_key", 24)}`;
    return byHash.get(hashOf(key)) ? drawKey() : key;
  }

  function noteUse(key: string, row: ApiKeyRow): void {
    const now = clock.now();
    if (row.last_used_at !== null && now - row.last_used_at < USE_PRECISION) return;
    use.run(now, row.id);
    rows.set(key, { ...row, last_used_at: now });
  }

  function find(org: string, id: string): ApiKeyRow {
    const row = byId.get(id, org);
    if (!row) throw notFound("API key", id);
    return row;
  }

  function statusOf({ revoked_at, expires_at }: ApiKeyRow): ApiKeyStatus {
    if (revoked_at !== null) return "revoked";
    return expires_at !== null && expires_at <= clock.now() ? "expired" : "active";
  }

  const resource = presenter(ApiKey, (row: ApiKeyRow) => ({
    permissions: including(row.permission),
    status: statusOf(row),
  }));

  return {
    authenticate(headers) {
      const key = presentedKey(headers);
      const row = rows.get(key);
      if (!row) throw new PlatformError("key_invalid", "The API key does not exist.");
      const name = `The API key ${row.prefix}…`;
      const status = statusOf(row);
      if (status === "revoked")
        throw new PlatformError("key_revoked", `${name} was revoked at ${iso(row.revoked_at!)}.`);
      if (status === "expired")
        throw new PlatformError("key_expired", `${name} expired at ${iso(row.expires_at!)}.`);
      noteUse(key, row);
      return row;
    },

    create(caller, input) {
      return store.transaction(() => {
        const now = clock.now();
        const id = ids.next("key_");
        const key = drawKey();
        insert({
          id,
          org: caller.org,
          name: input.name,
          permission: readPermission(input),
          prefix: key.slice(0, SHOWN_PREFIX),
          hash: hashOf(key),
          expires_at: input.expires_at == null ? null : asInstant(input.expires_at),
          created_at: now,
          updated_at: now,
        });
        audit.record(caller, "api_key.created", id, 201);
        return { ...resource(find(caller.org, id)), key };
      });
    },

    get: (org, id) => resource(find(org, id)),
    list: (org, query) => listPage(store, "api_keys", [["org = ?", org]], query, resource),

    revoke(caller, id) {
      return store.transaction(() => {
        const row = find(caller.org, id);
        if (row.revoked_at !== null)
          throw invalidTransition(`The API key was already revoked at ${iso(row.revoked_at)}.`);
        const now = clock.now();
        revoke.run(now, now, id);
        rows.clear();
        audit.record(caller, "api_key.revoked", id, 200);
        return { object: "api_key", id, deleted: true, revoked_at: iso(now) };
      });
    },
  };
}

/** `permissions` is an alternative to `permission`: the highest level in the list counts. */
function readPermission({ permission, permissions }: Input): Permission {
  const highest = PERMISSIONS.findLast((level) => permissions?.includes(level));
  if (permission !== undefined && highest !== undefined && permission !== highest)
    throw invalidField(
      "permissions",
      `permissions is another way to write permission: send only one of them, or ${including(permission).join(", ")} for ${permission}.`,
    );
  const found = permission ?? highest;
  if (found !== undefined) return found;
  throw missingField("permission", " (or permissions)");
}

/** The bearer token in Authorization, or else the value of X-API-Key. Node has already trimmed both. */
function presentedKey(headers: Record<string, string | string[] | undefined>): string {
  const { authorization = "", "x-api-key": header = "" } = headers as Record<string, string | undefined>;
  const [scheme = "", ...credentials] = authorization.split(/ +/);
  const isBearer = scheme.toLowerCase() === "bearer";
  if (isBearer && credentials.length === 1) return credentials[0]!;
  if (isBearer && credentials.length > 1)
    throw new PlatformError(
      "key_invalid",
      "An API key has no spaces: send 'Authorization: Bearer <API key>'.",
    );
  if (header !== "") return header;
  const other = isBearer || authorization === "" ? "" : `, not as '${clip(scheme, 20)} …',`;
  throw new PlatformError(
    "key_missing",
    `No API key: send it as 'Authorization: Bearer <API key>'${other} or in the header X-API-Key.`,
  );
}
