import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { dayOf, daysUntil } from "./days.ts";
import { invalidField, invalidTransition } from "./errors.ts";
import { type PageQuery, searching } from "./listing.ts";
import { columnsOf } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { presenter } from "./present.ts";
import { createRecords } from "./records.ts";
import type { WidgetRow } from "./rows.ts";
import { Widget, type WidgetCreate, WidgetUpdate } from "./schemas/catalog.ts";

/** The most characters of a widget's config, and of its theme, as JSON. */
export const MAX_CONFIG_LENGTH = 16_384;

export type Widgets = ReturnType<typeof createWidgets>;

export function createWidgets({ world, origin }: PaymentsContext, links: PaymentLinks, audit: Audit) {
  const { store, clock } = world;
  const resource = presenter(Widget, (row: WidgetRow) => ({
    url: `${origin()}/platform/widget/${row.short_code}`,
    is_active: row.active === 1,
  }));
  const records = createRecords(world, audit, {
    kind: "widget",
    object: "widget_config",
    prefix: "wid_",
    writable: columnsOf(WidgetUpdate, "is_active"),
    names: { is_active: "active" },
    filters: ["active", "widget_type"],
    show: resource,
    codes: "widget_code",
  });
  const byCode = store.sql<WidgetRow>("select * from widgets where short_code = ?");
  const removeViews = store.sql("delete from widget_views where widget_id = ?");
  const addView = store.sql("update widgets set current_views = current_views + 1 where id = ?");
  const addDayView = store.sql(
    `insert into widget_views (widget_id, day, views) values (?, ?, 1)
     on conflict (widget_id, day) do update set views = views + 1`,
  );
  const viewsSince = store.sql<{ day: string; views: number }>(
    "select day, views from widget_views where widget_id = ? and day >= ?",
  );
  const sessionsSince = store.sql<{ date: string; interactions: number; completions: number }>(
    `select date(created_at / 1000, 'unixepoch') as date, count(*) as interactions, sum(status = 'completed') as completions
     from checkout_sessions where widget_id = ? and created_at >= ? group by 1`,
  );

  function check(org: string, input: WidgetUpdate): void {
    for (const field of ["config", "theme"] as const) {
      const value = input[field];
      if (value !== undefined && JSON.stringify(value).length > MAX_CONFIG_LENGTH)
        throw invalidField(field, `${field} must have at most ${MAX_CONFIG_LENGTH} characters as JSON.`);
    }
    links.checkReference(org, input.payment_link_id);
  }

  return {
    ...records,
    findByCode: (code: string): WidgetRow | undefined => byCode.get(code),

    create(caller: Caller, input: WidgetCreate) {
      check(caller.org, input);
      const defaults = { widget_type: "button", config: {}, theme: {}, active: true };
      return records.add(caller, input, defaults, { current_views: 0 });
    },

    update: (caller: Caller, id: string, input: WidgetUpdate) =>
      records.update(caller, id, input, () => void check(caller.org, input)),

    /** Deletes its statistics as well; sessions opened from it stay. */
    delete: (caller: Caller, id: string) => records.delete(caller, id, () => removeViews.run(id)),

    /** `search` is taken literally, ignoring the case of A to Z, in name or short code. */
    list(org: string, query: PageQuery & { active?: boolean; widget_type?: string; search?: string }) {
      const text = "lower(name || char(10) || short_code)";
      return records.list(org, query, searching(`instr(${text}, lower(?)) > 0`, query.search));
    },

    /** Counts a visit of the widget's page. */
    countView(row: WidgetRow): void {
      store.transaction(() => {
        addView.run(row.id);
        addDayView.run(row.id, dayOf(clock.now()));
      });
    },

    /** The payment link that a widget opens. @throws PlatformError if it opens none */
    linkOf(row: WidgetRow): string {
      if (row.active === 0) throw invalidTransition(`The widget '${row.name}' is inactive.`);
      if (row.payment_link_id === null)
        throw invalidTransition(`The widget '${row.name}' opens no payment link: it has no payment_link_id.`);
      return row.payment_link_id;
    },

    /** The events at a widget on each of the last UTC days, including today. */
    stats(org: string, id: string, days: number) {
      records.find(org, id);
      const dates = daysUntil(clock.now(), days);
      const views = new Map(viewsSince.all(id, dates[0]!).map((row) => [row.day, row.views]));
      const opened = new Map(sessionsSince.all(id, Date.parse(dates[0]!)).map((day) => [day.date, day]));
      const daily = dates.map((date) => ({
        date,
        views: views.get(date) ?? 0,
        interactions: opened.get(date)?.interactions ?? 0,
        completions: opened.get(date)?.completions ?? 0,
      }));
      const total = (field: "views" | "interactions" | "completions") =>
        daily.reduce((sum, day) => sum + day[field], 0);
      return {
        object: "widget_stats" as const,
        widget_id: id,
        summary: {
          total_views: total("views"),
          total_interactions: total("interactions"),
          total_completions: total("completions"),
        },
        daily,
      };
    },
  };
}
