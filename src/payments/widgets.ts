import { iso } from "../world/duration.ts";
import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { invalidField, notFound } from "./errors.ts";
import { listPage, type PageQuery } from "./listing.ts";
import { asFlag, asIs, asJson, type Columns, updateFields } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { WidgetCreate, WidgetUpdate } from "./schemas/catalog.ts";

/** A widget's config as JSON may not be larger, in characters. */
export const MAX_CONFIG_LENGTH = 16_384;

interface WidgetRow {
  id: string;
  org: string;
  name: string;
  widget_type: string;
  config: string;
  payment_link_id: string | null;
  active: number;
  created_at: number;
  updated_at: number;
}

const WRITABLE: Columns<WidgetUpdate> = {
  name: asIs,
  widget_type: asIs,
  config: asJson,
  payment_link_id: asIs,
  active: asFlag,
};

export type Widgets = ReturnType<typeof createWidgets>;

export function createWidgets({ world }: PaymentsContext, links: PaymentLinks, audit: Audit) {
  const { store, ids, clock } = world;
  const byId = store.sql<WidgetRow>("select * from widgets where id = ? and org = ?");
  const insert = store.sql(
    "insert into widgets (id, org, name, widget_type, config, payment_link_id, active, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const remove = store.sql("delete from widgets where id = ?");

  function find(org: string, id: string): WidgetRow {
    const row = byId.get(id, org);
    if (!row) throw notFound("widget", id);
    return row;
  }

  function check(org: string, input: WidgetUpdate): void {
    if (input.config !== undefined && JSON.stringify(input.config).length > MAX_CONFIG_LENGTH) {
      throw invalidField("config", `config must have at most ${MAX_CONFIG_LENGTH} characters as JSON.`);
    }
    links.checkReference(org, input.payment_link_id);
  }

  return {
    get: (org: string, id: string) => widgetResource(find(org, id)),

    create(caller: Caller, input: WidgetCreate) {
      return store.transaction(() => {
        check(caller.org, input);
        const id = ids.next("wid_");
        const now = clock.now();
        insert.run(
          id,
          caller.org,
          input.name,
          input.widget_type ?? "button",
          JSON.stringify(input.config ?? {}),
          input.payment_link_id ?? null,
          asFlag(input.active ?? true),
          now,
          now,
        );
        audit.record(caller, "widget.created", id, 201);
        return widgetResource(find(caller.org, id));
      });
    },

    update(caller: Caller, id: string, input: WidgetUpdate) {
      return store.transaction(() => {
        find(caller.org, id);
        check(caller.org, input);
        updateFields(store, "widgets", id, input, WRITABLE, clock.now());
        audit.record(caller, "widget.updated", id, 200);
        return widgetResource(find(caller.org, id));
      });
    },

    delete(caller: Caller, id: string) {
      return store.transaction(() => {
        find(caller.org, id);
        remove.run(id);
        audit.record(caller, "widget.deleted", id, 200);
        return { object: "widget" as const, id, deleted: true as const };
      });
    },

    list(org: string, query: PageQuery) {
      const { rows, total } = listPage<WidgetRow>(store, "widgets", [["org = ?", org]], query);
      return { data: rows.map(widgetResource), total };
    },
  };
}

function widgetResource(row: WidgetRow) {
  return {
    object: "widget" as const,
    id: row.id,
    name: row.name,
    widget_type: row.widget_type,
    config: JSON.parse(row.config) as Record<string, unknown>,
    payment_link_id: row.payment_link_id,
    active: row.active === 1,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
