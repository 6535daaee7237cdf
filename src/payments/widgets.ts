import type { Static } from "typebox";
import type { Audit } from "./audit.ts";
import type { PaymentsContext } from "./context.ts";
import { dayOf } from "./days.ts";
import { invalidField, invalidTransition } from "./errors.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { presenter } from "./present.ts";
import { createRecords, type Resource } from "./records.ts";
import type { WidgetRow } from "./rows.ts";
import { WIDGETS } from "./schemas/catalog.ts";

/** The maximum length of a widget's config and of its theme, each as JSON. */
export const MAX_CONFIG_LENGTH = 16_384;

/**
 * An organization's widgets. Deleting a widget also deletes its statistics, but keeps the sessions that it opened.
 * `search` matches a literal substring of the name or short code, ignoring the case of A to Z.
 */
export interface Widgets extends Resource<typeof WIDGETS> {
  /** @throws PlatformError resource_not_found */
  find(org: string, id: string): WidgetRow;
  /** Finds a widget of any organization. */
  findByCode(code: string): WidgetRow | undefined;
  countView(row: WidgetRow): void;
  /** The payment link that a widget opens. @throws PlatformError invalid_status_transition if the widget has no link */
  linkOf(row: WidgetRow): string;
}

export function createWidgets(
  { world, origin }: PaymentsContext,
  links: PaymentLinks,
  audit: Audit,
): Widgets {
  const { store, clock } = world;
  const resource = presenter(WIDGETS.item, (row: WidgetRow) => ({
    url: `${origin()}/platform/widget/${row.short_code}`,
    is_active: row.active === 1,
  }));
  const records = createRecords(world, audit, {
    kind: "widget",
    object: "widget_config",
    prefix: "wid_",
    schemas: WIDGETS,
    names: { is_active: "active" },
    show: resource,
    search: (text) => ["instr(lower(name || char(10) || short_code), lower(?)) > 0", text],
    codes: "widget_code",
  });
  const byCode = store.sql<WidgetRow>("select * from widgets where short_code = ?");
  const removeViews = store.sql("delete from widget_views where widget_id = ?");
  const addView = store.sql("update widgets set current_views = current_views + 1 where id = ?");
  const addDayView = store.sql(
    `insert into widget_views (widget_id, day, views) values (?, ?, 1)
     on conflict (widget_id, day) do update set views = views + 1`,
  );

  function check(org: string, input: Static<typeof WIDGETS.update>): void {
    for (const field of ["config", "theme"] as const) {
      const value = input[field];
      if (value !== undefined && JSON.stringify(value).length > MAX_CONFIG_LENGTH)
        throw invalidField(field, `${field} must have at most ${MAX_CONFIG_LENGTH} characters as JSON.`);
    }
    links.checkReference(org, input.payment_link_id);
  }

  return {
    ...records,
    findByCode: (code) => byCode.get(code),

    create(caller, input) {
      check(caller.org, input);
      const defaults = { widget_type: "button", config: {}, theme: {}, active: true };
      return records.add(caller, input, defaults, { current_views: 0 });
    },

    update: (caller, id, input) => records.update(caller, id, input, () => void check(caller.org, input)),

    delete: (caller, id) => records.delete(caller, id, () => removeViews.run(id)),

    countView(row) {
      store.transaction(() => {
        addView.run(row.id);
        addDayView.run(row.id, dayOf(clock.now()));
      });
    },

    linkOf(row) {
      if (row.active === 0) throw invalidTransition(`The widget '${row.name}' is inactive.`);
      if (row.payment_link_id === null)
        throw invalidTransition(
          `The widget '${row.name}' cannot open a payment link: it has no payment_link_id.`,
        );
      return row.payment_link_id;
    },
  };
}
