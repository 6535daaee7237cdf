import { createHash } from "node:crypto";
import keys from "../../../fixtures/payments/keys.json" with { type: "json" };
import organizations from "../../../fixtures/payments/organizations.json" with { type: "json" };
import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import { createSave } from "../../world/save.ts";
import type { World } from "../../world/world.ts";
import type { ApiKeyRow, OrganizationRow } from "../rows.ts";

/** How far back seeded history goes, milliseconds. */
export const HISTORY = 120 * DAY;

/** The organization that owns nearly everything seeded. */
export const MAIN_ORGANIZATION: string = organizations[0]!.id;
/** The organization whose resources the first one must not see. */
export const OTHER_ORGANIZATION: string = organizations[1]!.id;

type KeyRole = "write" | "read" | "expired" | "revoked" | "other";

/** The API keys every fresh world has, fixed so that they can be pasted. */
export const SEEDED_KEYS = Object.fromEntries(keys.map(({ role, key }) => [role, key])) as Record<
  KeyRole,
  string
>;

interface KeyLife {
  madeAfter: number;
  expiredFor?: number;
  revokedFor?: number;
  /** How long ago it was last used. */
  usedFor: number;
}

/** When each key was made, after the start of history, and when it was used and revoked, before now. */
const KEY_LIVES: Record<KeyRole, KeyLife> = {
  write: { madeAfter: 10 * MINUTE, usedFor: 4 * MINUTE },
  read: { madeAfter: 25 * MINUTE, usedFor: 3 * HOUR },
  expired: { madeAfter: 2 * DAY, expiredFor: 30 * DAY, usedFor: 31 * DAY },
  revoked: { madeAfter: 5 * DAY, revokedFor: 12 * DAY, usedFor: 13 * DAY },
  other: { madeAfter: HOUR, usedFor: 2 * DAY },
};

/** An organization of the fixtures, as it is at the start: made when its history begins. */
export function organizationRow(fixture: (typeof organizations)[number], now: number): OrganizationRow {
  return { ...fixture, created_at: now - HISTORY, updated_at: now - HISTORY };
}

/** Writes the organizations, their API keys and notification settings: the whole of the seed "empty". */
export function seedOrganizations(world: World): void {
  const save = createSave(world.store);
  const now = world.clock.now();
  world.store.transaction(() => {
    for (const organization of organizations) {
      save("organizations", organizationRow(organization, now));
      save("notification_settings", {
        org: organization.id,
        email: organization.owner_email,
        email_enabled: 1,
        telegram_enabled: 0,
        telegram_chat_id: null,
        enabled_events: JSON.stringify(["webhook.disabled"]),
        updated_at: now - HISTORY,
      });
    }
    for (const key of keys) {
      const life = KEY_LIVES[key.role as KeyRole];
      const createdAt = now - HISTORY + life.madeAfter;
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
