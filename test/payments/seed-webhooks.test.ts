import { describe, expect, test } from "vitest";
import { MAIN_ORGANIZATION } from "../../src/payments/seed/organizations.ts";
import { EVENTS, type EventType } from "../../src/payments/webhooks/event-types.ts";
import { deliveryBody, sessionResource } from "../../src/payments/webhooks/payload.ts";
import { verifySignature } from "../../src/payments/webhooks/signature.ts";
import { NEW_ENDPOINT, stateOf } from "../../src/timeline/endpoint-state.ts";
import { DEFAULT_POLICY, decide } from "../../src/webhooks/policy.ts";
import type { DeliveryRow, PlanRow, WebhookRow } from "../../src/webhooks/rows.ts";
import { DAY, iso, MINUTE, SECOND } from "../../src/world/duration.ts";
import { NOW, seededDump, seededWorld } from "./seed-world.ts";

const { rows, count, sessions, transactions, deliveries, webhooks, webhook } = seededWorld();

describe("seeded webhooks", () => {
  test("seeded webhook endpoints include every state", () => {
    expect(webhook("Order fulfilment")).toMatchObject({
      org: MAIN_ORGANIZATION,
      url: "{origin}/_sandbox/inbox/fulfilment",
      events: '["payment.completed","checkout.completed"]',
      status: "enabled",
      consecutive_failures: 0,
      disabled_at: null,
    });
    const bridge = webhook("Legacy ERP bridge");
    expect(bridge).toMatchObject({
      status: "disabled",
      disabled_reason: "consecutive_failures",
    });
    expect(bridge.url).toMatch(/^https:\/\/erp\.[a-z]+\.example\/hooks\/payments$/);
    expect(NOW - bridge.disabled_at!).toBeGreaterThanOrEqual(12 * DAY);
    expect(NOW - bridge.disabled_at!).toBeLessThan(13 * DAY);
    for (const { secret } of webhooks()) expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(new Set(webhooks().map(({ secret }) => secret)).size).toBe(3);
  });

  test("seeded webhook endpoints have a history that matches their status", () => {
    for (const row of webhooks()) {
      const changes = rows<{ change: string; reason: string | null; at: number }>(
        "select change, reason, at from webhook_state_changes where webhook_id = ? order by seq",
        row.id,
      );
      const expected = [{ change: "created", reason: null as string | null, at: row.created_at }];
      if (row.disabled_at !== null)
        expected.push({ change: "disabled", reason: "consecutive_failures", at: row.disabled_at });
      expect(changes).toEqual(expected);
    }
  });

  test("seeded deliveries have their events' bodies, valid signatures and the headers of their attempts [fidelity: Simulated › History]", () => {
    const byId = new Map(webhooks().map((row) => [row.id, row]));
    const plans = new Map(
      rows<PlanRow>("select * from webhook_plans").map((row) => [`${row.event_id} ${row.webhook_id}`, row]),
    );
    const events = new Map(
      rows<{ id: string; type: string; data: string; created_at: number }>(
        "select * from webhook_events",
      ).map((row) => [row.id, row]),
    );
    expect(plans.size).toBe(events.size);
    for (const plan of plans.values()) {
      const event = events.get(plan.event_id)!;
      expect(plan.created_at).toBe(event.created_at);
    }
    for (const row of deliveries()) {
      const owner = byId.get(row.webhook_id)!;
      const headers = JSON.parse(row.request_headers) as Record<string, string>;
      expect(plans.has(`${row.event_id} ${row.webhook_id}`)).toBe(true);
      const { type, data, created_at: at } = events.get(row.event_id)!;
      const body = deliveryBody({ type, webhookId: row.webhook_id, at, data });
      expect(verifySignature(body, headers["X-Platform-Signature"], owner.secret)).toBe(true);
      expect(headers).toMatchObject({
        "Content-Type": "application/json",
        "X-Platform-Webhook-Id": row.webhook_id,
        "X-Platform-Delivery-Id": row.id,
        "X-Platform-Event": row.event,
        "X-Platform-Timestamp": iso(row.started_at),
      });
      expect(row.ended_at! - row.started_at).toBe(row.duration_ms);
      expect(row.created_at).toBe(row.started_at);
      expect(row.response_size).toBe(row.response_body === null ? null : row.response_body.length);
      expect(row).toMatchObject({
        url: owner.url,
        org: owner.org,
        trigger: "automatic",
        next_attempt_at: null,
      });
    }
  });

  test("seeded webhook events match their transactions and sessions", () => {
    const byTransaction = new Map(transactions().map((row) => [row.id, row]));
    const bySession = new Map(sessions().map((row) => [row.id, row]));
    for (const event of rows<{ type: string; data: string; created_at: number }>(
      "select * from webhook_events",
    )) {
      const data = JSON.parse(event.data) as { id: string };
      const transaction = byTransaction.get(data.id);
      const session = bySession.get(transaction?.session_id ?? data.id)!;
      const at = {
        "payment.completed": transaction?.completed_at,
        "payment.failed": transaction?.failed_at,
        "checkout.completed": session.completed_at,
        "checkout.expired": session.expired_at,
      }[event.type];
      expect(event.created_at).toBe(at);
      const type = event.type as EventType;
      expect(data).toEqual(
        EVENTS[type].data((transaction ?? sessionResource(session, null)) as never, session),
      );
    }
  });

  test("seeded deliveries match the retry schedules and endpoint states that the policy computes [fidelity: Simulated › History]", () => {
    for (const row of webhooks()) {
      let endpoint = NEW_ENDPOINT;
      const plans = new Map<string, { state: PlanRow["state"]; attempts: number; due: number | null }>();
      const own = deliveries().filter(({ webhook_id: id }) => id === row.id);
      expect(own.length).toBeGreaterThan(0);
      expect(row.last_delivery_at).toBe(own.at(-1)!.ended_at);
      for (const attempt of own) {
        const plan = plans.get(attempt.event_id) ?? { state: "active" as const, attempts: 0, due: null };
        plan.attempts += 1;
        expect(attempt.attempt).toBe(plan.attempts);
        if (plan.due !== null) expect(attempt.started_at).toBe(plan.due);
        const ok = attempt.status === "success";
        const effects = decide(DEFAULT_POLICY, endpoint, {
          trigger: "automatic",
          ok,
          endedAt: attempt.ended_at!,
          plan,
        });
        endpoint = effects.endpoint;
        expect(attempt.consecutive_failures).toBe(endpoint.consecutiveFailures);
        plans.set(attempt.event_id, {
          state: effects.plan,
          attempts: plan.attempts,
          due: effects.nextAttemptAt ?? null,
        });
        if (effects.disable) {
          expect(attempt.ended_at).toBe(row.disabled_at);
          for (const waiting of plans.values()) if (waiting.state === "active") waiting.state = "skipped";
        }
      }
      expect(endpoint).toEqual(stateOf(row));
      for (const plan of rows<PlanRow>("select * from webhook_plans where webhook_id = ?", row.id)) {
        const { state, attempts } = plans.get(plan.event_id)!;
        expect(plan).toMatchObject({ state, attempts, next_attempt_at: null });
        expect(plan.reason).toBe(state === "skipped" ? "endpoint_disabled" : null);
      }
      expect(plans.size).toBe(count("webhook_plans where webhook_id = ?", row.id));
    }
  });

  test("the seeded deliveries of the disabled bridge endpoint end with several kinds of failures that affect several events", () => {
    const own = deliveries().filter(({ webhook_id: id }) => id === webhook("Legacy ERP bridge").id);
    const failed = own.filter(({ status }) => status === "failed");
    expect(failed.length).toBeGreaterThanOrEqual(10);
    expect(own.slice(-failed.length)).toEqual(failed);
    expect(own.length).toBeGreaterThan(30);
    expect(new Set(failed.map(({ event_id: id }) => id)).size).toBeGreaterThanOrEqual(3);
    const kinds = new Set(failed.map(({ error, response_code: code }) => `${error} ${code}`));
    expect(kinds).toEqual(new Set(["status 500", "status 502", "timeout null", "connection_refused null"]));
    for (const row of failed) if (row.error === "timeout") expect(row.duration_ms).toBe(30 * SECOND);
    expect(count("webhook_plans where state = 'skipped'")).toBeGreaterThan(0);
  });

  test("the fulfilment endpoint's seeded deliveries include a success at the third attempt", () => {
    const own = deliveries().filter(({ webhook_id: id }) => id === webhook("Order fulfilment").id);
    const failed = own.filter(({ status }) => status === "failed");
    expect(failed.map(({ error, response_code: code }) => [error, code])).toEqual([
      ["status", 503],
      ["timeout", null],
    ]);
    const event = own.filter(({ event_id: id }) => id === failed[0]!.event_id);
    expect(event.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, "failed"],
      [2, "failed"],
      [3, "success"],
    ]);
    expect(event[2]!.started_at - event[1]!.ended_at!).toBe(10 * MINUTE);
  });

  test("the seed includes one e-mail to the owner of the disabled endpoint", () => {
    const mail = rows<{
      recipient: string;
      subject: string;
      text: string;
      webhook_id: string;
      created_at: number;
    }>("select * from mail");
    const bridge = webhook("Legacy ERP bridge");
    expect(mail).toHaveLength(1);
    expect(mail[0]).toMatchObject({ webhook_id: bridge.id, created_at: bridge.disabled_at });
    for (const part of [bridge.id, bridge.url, "10 deliveries"]) expect(mail[0]!.text).toContain(part);
  });

  test.each(Array.from({ length: 3 }, (_, index) => `seed ${index}`))(
    "every seed includes a disabled endpoint with its e-mail, and a used-up code: %s",
    async (seed) => {
      const made = await seededDump(seed);
      const bridge = (made.webhooks as WebhookRow[]).find((row) => row.status === "disabled")!;
      const failed = (made.webhook_deliveries as DeliveryRow[]).filter(
        (row) => row.webhook_id === bridge.id && row.status === "failed",
      );
      expect(failed).toHaveLength(bridge.consecutive_failures);
      expect(made.mail).toHaveLength(1);
      const codes = made.discount_codes as { max_uses: number | null; current_uses: number }[];
      expect(codes.some((row) => row.max_uses === row.current_uses)).toBe(true);
    },
  );
});
