import { DAY } from "../../world/duration.ts";
import { createSave } from "../../world/save.ts";
import { dayOf } from "../days.ts";
import type { WidgetRow } from "../rows.ts";
import { type Seeding, SHOPS } from "./seeding.ts";

/**
 * Writes the widgets, their views, and the sessions opened from them, which are two thirds of their links' sessions.
 */
export function seedWidgets({ world: { store, ids }, draws, at, now }: Seeding): void {
  const save = createSave(store);
  const linkOf = store.sql<{ id: string }>("select id from payment_links where org = ? and name = ?");
  const visit = store.sql(
    `update checkout_sessions set widget_id = ?
     where payment_link_id = ? and created_at between ? and ? and rowid % 3 < 2`,
  );
  for (const { organization, products, widgets } of SHOPS)
    for (const [
      index,
      { name, description, widget_type, config, theme, linked, active },
    ] of widgets.entries()) {
      const id = ids.next("wid_");
      const created_at = at(0.05 + 0.06 * index);
      const endedAt = active ? now : at(0.3 + 0.06 * index);
      const link = linked ? linkOf.get(organization.id, products[index]!.name)!.id : null;
      visit.run(id, link, created_at, endedAt);
      let current_views = 0;
      for (let time = created_at; time <= endedAt; time += DAY) {
        const views = draws.between(5, 25);
        save("widget_views", { widget_id: id, day: dayOf(time), views });
        current_views += views;
      }
      save("widgets", {
        id,
        org: organization.id,
        short_code: ids.code("widget_code", 6),
        name,
        description,
        widget_type,
        config: JSON.stringify(config),
        theme: JSON.stringify(theme),
        payment_link_id: link,
        active: Number(active),
        current_views,
        created_at,
        updated_at: active ? created_at : endedAt,
      } satisfies WidgetRow);
    }
}
