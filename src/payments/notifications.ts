import { iso } from "../world/duration.ts";
import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { asFlag, asIs, type Columns, updateFields } from "./patch.ts";
import type { NotificationUpdate } from "./schemas/catalog.ts";

interface NotificationRow {
  org: string;
  email: string;
  webhook_disabled: number;
  updated_at: number;
}

const WRITABLE: Columns<NotificationUpdate> = {
  email: asIs,
  webhook_disabled: asFlag,
};

export type Notifications = ReturnType<typeof createNotifications>;

/** Which e-mails an organization's owner gets, and where. One record for each organization. */
export function createNotifications({ world }: PaymentsContext, audit: Audit) {
  const { store, clock } = world;
  const read = store.sql<NotificationRow>("select * from notification_settings where org = ?");

  const get = (org: string) => notificationResource(read.get(org)!);

  return {
    get,
    update(caller: Caller, input: NotificationUpdate) {
      return store.transaction(() => {
        updateFields(store, "notification_settings", caller.org, input, WRITABLE, clock.now(), "org");
        audit.record(caller, "notification.updated", caller.org, 200);
        return get(caller.org);
      });
    },
  };
}

function notificationResource(row: NotificationRow) {
  return {
    object: "notification_settings" as const,
    email: row.email,
    webhook_disabled: row.webhook_disabled === 1,
    updated_at: iso(row.updated_at),
  };
}
