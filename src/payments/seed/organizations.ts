import { createHash } from "node:crypto";
import keys from "../../../fixtures/payments/keys.json" with { type: "json" };
import organizations from "../../../fixtures/payments/organizations.json" with { type: "json" };
import { HISTORY_DAYS } from "../../http/area.ts";
import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import { createSave, type Save } from "../../world/save.ts";
import type { World } from "../../world/world.ts";
import type { RowOf } from "../fixtures/description.ts";
import type { ApiKeyRow, OrganizationRow } from "../rows.ts";

/** The organization that owns most of the seeded rows. */
export const MAIN_ORGANIZATION: string = organizations[0]!.id;
/** Another organization, whose resources must be invisible to the main one. */
export const OTHER_ORGANIZATION: string = organizations[1]!.id;

type KeyRole = "write" | "read" | "expired" | "revoked" | "other";

/** The API keys of every fresh world. They never change, so they can be pasted from the docs. */
export const SEEDED_KEYS = Object.fromEntries(keys.map(({ role, key }) => [role, key])) as Record<
  KeyRole,
  string
>;

/** When each key was created (relative to the start of the history), last used and revoked (both relative to now). */
const KEY_LIVES: Record<
  KeyRole,
  { madeAfter: number; usedFor: number; expiredFor?: number; revokedFor?: number }
> = {
  write: { madeAfter: 10 * MINUTE, usedFor: 4 * MINUTE },
  read: { madeAfter: 25 * MINUTE, usedFor: 3 * HOUR },
  expired: { madeAfter: 2 * DAY, expiredFor: 20 * DAY, usedFor: 21 * DAY },
  revoked: { madeAfter: 5 * DAY, revokedFor: 12 * DAY, usedFor: 13 * DAY },
  other: { madeAfter: HOUR, usedFor: 2 * DAY },
};

export function saveOrganization(
  save: Save,
  organization: OrganizationRow,
  settings: RowOf<"organizations">["notifications"] = {},
): void {
  save("organizations", organization);
  save("notification_settings", {
    org: organization.id,
    email: settings.email ?? organization.owner_email,
    email_enabled: Number(settings.email_enabled ?? true),
    telegram_enabled: Number(settings.telegram_enabled ?? false),
    telegram_chat_id: settings.telegram_chat_id ?? null,
    enabled_events: JSON.stringify(settings.enabled_events ?? ["webhook.disabled"]),
    updated_at: settings.updated_at ?? organization.created_at,
  });
}

/**
 * Writes the organizations with their API keys and notification settings, which is all that the seed "empty" contains.
 */
export function seedOrganizations(world: World): void {
  const save = createSave(world.store);
  const now = world.clock.now();
  const start = now - HISTORY_DAYS * DAY;
  world.store.transaction(() => {
    for (const organization of organizations)
      saveOrganization(save, { ...organization, created_at: start, updated_at: start });
    for (const key of keys) {
      const life = KEY_LIVES[key.role as KeyRole];
      const createdAt = start + life.madeAfter;
      const revokedAt = life.revokedFor === undefined ? null : now - life.revokedFor;
      save("api_keys", {
        id: world.ids.next("key_"),
        org: organizations[key.organization]!.id,
        name: key.name,
        permission: key.permission as ApiKeyRow["permission"],
        prefix: key.key.slice(0, 14),
        hash: createHash("sha256").update(key.key).digest("hex"),
        expires_at: life.expiredFor === undefined ? null : now - life.expiredFor,
        revoked_at: revokedAt,
        last_used_at: now - life.usedFor,
        created_at: createdAt,
        updated_at: revokedAt ?? createdAt,
      } satisfies ApiKeyRow);
    }
  });
}
