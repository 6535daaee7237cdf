import { describe, expect, test } from "vitest";
import { DAY } from "../../src/world/duration.ts";
import { NOW, seededWorld } from "./seed-world.ts";

const { rows, count, links } = seededWorld();

describe("the seeded audit trail", () => {
  interface Event {
    org: string;
    event_type: string;
    resource_type: string;
    resource_id: string;
    ip_address: string;
    request_method: string;
    request_path: string;
    status_code: number;
    created_at: number;
  }

  test("each seeded audit event has a matching type, path, method and status, and an IP address reserved for documentation", () => {
    for (const event of rows<Event>("select * from audit_events")) {
      expect(event.event_type.startsWith(`${event.resource_type}.`)).toBe(true);
      expect(event.ip_address).toMatch(/^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}$/);
      expect(event.request_path).toMatch(/^\/api\/v1\/[a-z-]+(?:\/[a-z]+_\w+)?$/);
      const created = event.event_type.endsWith(".created");
      expect([event.request_method, event.status_code]).toEqual(
        created ? ["POST", 201] : [event.event_type.endsWith(".updated") ? "PATCH" : "DELETE", 200],
      );
    }
  });

  test("the seeded audit trail contains the creation of every resource by its own organization", () => {
    const tables = {
      payment_link: "payment_links",
      product: "products",
      webhook: "webhooks",
      discount_code: "discount_codes",
      widget: "widgets",
      api_key: "api_keys",
    };
    const created = new Map(
      rows<Event>("select * from audit_events where event_type like '%.created'").map((event) => [
        event.resource_id,
        event,
      ]),
    );
    for (const [type, table] of Object.entries(tables)) {
      for (const row of rows<{ id: string; org: string; created_at: number }>(`select * from ${table}`)) {
        expect(created.get(row.id)).toMatchObject({
          event_type: `${type}.created`,
          org: row.org,
          created_at: row.created_at,
        });
      }
    }
  });

  test("the seeded audit trail contains the creation of deleted resources and the revocation of revoked keys", () => {
    const deleted = rows<Event>("select * from audit_events where event_type like '%.deleted'");
    expect(deleted.map(({ resource_type: type }) => type).sort()).toEqual([
      "discount_code",
      "payment_link",
      "product",
      "webhook",
      "widget",
    ]);
    for (const event of deleted) {
      expect(count(`${event.resource_type}s where id = ?`, event.resource_id)).toBe(0);
      expect(
        count(
          "audit_events where resource_id = ? and event_type like '%.created' and created_at < ?",
          event.resource_id,
          event.created_at,
        ),
      ).toBe(1);
    }
    expect(rows("select created_at from audit_events where event_type = 'api_key.revoked'")).toEqual([
      { created_at: NOW - 12 * DAY },
    ]);
  });

  test("the seeded audit trail contains updates of links", () => {
    const edited = rows<Event>("select * from audit_events where event_type = 'payment_link.updated'");
    expect(edited.length).toBeGreaterThan(0);
    const byId = new Map(links().map((row) => [row.id, row]));
    for (const { resource_id: id, created_at: at } of edited) {
      expect(byId.get(id)!.updated_at).toBeGreaterThanOrEqual(at);
    }
    const off = new Set(edited.map(({ resource_id: id }) => id));
    for (const row of links()) if (row.active === 0) expect(off).toContain(row.id);
  });
});
