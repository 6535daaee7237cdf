import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import type { Audit } from "./audit.ts";
import type { PaymentsContext } from "./context.ts";
import { invalidField } from "./errors.ts";
import { columnsOf, resolveAliases, updateFields } from "./patch.ts";
import { presenter } from "./present.ts";
import { type NotificationEvent, NotificationSettings, NotificationUpdate } from "./schemas/notifications.ts";

interface NotificationRow {
  org: string;
  email: string;
  email_enabled: number;
  telegram_enabled: number;
  telegram_chat_id: string | null;
  enabled_events: string;
  updated_at: number;
}

interface Settings extends NotificationRow {
  events: NotificationEvent[];
}

const NAMES = { email_address: "email" } as const;
const WRITABLE = columnsOf(NotificationUpdate, "email_address", "webhook_disabled");
const DISABLED: NotificationEvent = "webhook.disabled";

const notificationResource = presenter(NotificationSettings, ({ org, email, events }: Settings) => ({
  id: org,
  email_address: email,
  webhook_disabled: events.includes(DISABLED),
  enabled_events: events,
}));

/**
 * An organization's e-mail settings: the events to announce and the address to use. Each organization has one record.
 */
export interface Notifications {
  get(org: string): Static<typeof NotificationSettings>;
  /** The address for an e-mail about an event; undefined if the owner does not want one. */
  recipientOf(org: string, event: NotificationEvent): string | undefined;
  /**
   * @throws PlatformError invalid_field_value if two aliases of a setting have different values; no_updates_provided
   */
  update(caller: Caller, input: NotificationUpdate): Static<typeof NotificationSettings>;
}

export function createNotifications({ world }: PaymentsContext, audit: Audit): Notifications {
  const { store, clock } = world;
  const read = store.sql<NotificationRow>("select * from notification_settings where org = ?");

  function find(org: string): Settings | undefined {
    const row = read.get(org);
    return row && { ...row, events: JSON.parse(row.enabled_events) as NotificationEvent[] };
  }

  const get = (org: string) => notificationResource(find(org)!);

  /** The field `webhook_disabled` turns the event of the same name on or off. */
  function readEvents(current: Settings, input: NotificationUpdate): NotificationEvent[] | undefined {
    const { webhook_disabled: wanted, enabled_events: events } = input;
    if (wanted === undefined) return events;
    if (events !== undefined && events.includes(DISABLED) !== wanted)
      throw invalidField(
        "webhook_disabled",
        `webhook_disabled says whether ${DISABLED} is among enabled_events; here the two differ.`,
      );
    const others = (events ?? current.events).filter((event) => event !== DISABLED);
    return wanted ? [DISABLED, ...others] : others;
  }

  return {
    get,

    recipientOf(org, event) {
      const settings = find(org);
      return settings?.email_enabled === 1 && settings.events.includes(event) ? settings.email : undefined;
    },

    update(caller, input) {
      return store.transaction(() => {
        const events = readEvents(find(caller.org)!, input);
        const named = resolveAliases(input, NAMES);
        const fields = events === undefined ? named : { ...named, enabled_events: events };
        const table = "notification_settings";
        updateFields<NotificationRow>(store, table, caller.org, fields, WRITABLE, clock.now(), "org");
        audit.record(caller, "notification.updated", caller.org, 200);
        return get(caller.org);
      });
    },
  };
}
