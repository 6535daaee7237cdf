import type { Static } from "typebox";
import { misuse, notFound } from "../errors/errors.ts";
import type { DoesLater } from "../operations/index.ts";
import type * as schemas from "../operations/outages.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import { outageFacts } from "../timeline/outage.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { WebhookRow } from "../webhooks/rows.ts";
import { faultTarget, type SubscriberFault } from "../webhooks/subscriber-faults.ts";
import { wallNow } from "../world/clock.ts";
import { HOUR, iso, parseDuration } from "../world/duration.ts";
import type { World } from "../world/world.ts";
import { dashboardCaller } from "./dashboard.ts";
import { findWebhook } from "./endpoints.ts";
import type { Platform } from "./platform.ts";
import type { Replacements } from "./replacement.ts";
import type { SenderControls, StoryInstant } from "./senders.ts";

const DEFAULT_DURATION = 3 * HOUR;
/** The maximum number of attempts to read when checking whether the events arrived. */
const MOST_ATTEMPTS = 10_000;

export interface OutageControls {
  /**
   * Simulates a complete outage of a subscriber. See docs/guide/recovery.md, "An outage in one step".
   * @throws SandboxError `conflict` while another outage is running in this world; `bad_request`, `not_found`,
   * `invalid_duration`
   */
  outage: DoesLater<"webhooks.outage">;
}

interface Parts {
  world: World;
  engine: WebhookEngine;
  /** @throws SandboxError `invalid_state` in a world that does not include the platform */
  platform: () => Pick<Platform, "area" | "payments">;
  senders: Pick<SenderControls, "send" | "storyOf">;
  playUndoable: Replacements["playUndoable"];
}

export function createOutageControls({
  world,
  engine,
  platform,
  senders,
  playUndoable,
}: Parts): OutageControls {
  const { clock, faults, journal, scheduler, store } = world;

  function enable(id: string): void {
    store.transaction(() => {
      const row = findWebhook(engine, id);
      if (row.status !== "enabled")
        engine.registrations.change(
          dashboardCaller(row.org, "POST", `/_sandbox/webhooks/${id}/outage`),
          row,
          { status: "enabled" },
        );
    });
  }

  /** Pays one of the organization's existing links that needs no further input, or else a new link. */
  async function pay(org: string): Promise<void> {
    const now = clock.now();
    const query = { page: 1, limit: 100, sort: "created_at", order: "desc", active: true } as const;
    const { area, payments } = platform();
    const usable = area.links
      .list(org, query)
      .data.filter(
        ({ expires_at: end, max_uses: most, current_uses: uses }) =>
          (end === null || Date.parse(end) > now) && (most === null || uses < most),
      );
    const link =
      usable.find(({ amount }) => amount !== null) ??
      usable[0] ??
      payments.createLink(
        { name: "Coffee", amount: "4500000", organization: org },
        { url: "/_sandbox/links" },
      );
    await payments.pay({ payment_link_id: link.id, ...(link.amount === null && { amount: "1000000" }) });
  }

  /** Decides what to send: a story; or a payment or event immediately, and a second one after a third of the outage. */
  async function instantsOf(
    { sender, org, events }: WebhookRow,
    story: string | undefined,
    duration: number,
  ): Promise<Pick<StoryInstant, "after" | "send">[] | { after: number; send(): Promise<unknown> }[]> {
    const isPlatform = sender === PLATFORM_SENDER;
    if (story !== undefined) {
      if (!isPlatform) return senders.storyOf(sender, story);
      throw misuse(
        "The platform itself has no stories.",
        "Omit the story to make two payments instead, or choose an endpoint of a sender such as stripe.",
        "story",
      );
    }
    const types: string[] = JSON.parse(events);
    const takesAll = types.length === 0 || types.includes("*");
    const type = isPlatform
      ? ""
      : engine.senders.file(sender).events.find((one) => takesAll || types.includes(one));
    if (type === undefined)
      throw notFound(`${sender} has no event that this endpoint subscribes to.`, "Change its events.");
    const send = () => (isPlatform ? pay(org) : senders.send({ name: sender, type }));
    return [0, duration / 3].map((after) => ({ after: Math.round(after), send }));
  }

  return {
    async outage({ id, duration = DEFAULT_DURATION, kind = "503", story }) {
      const length = parseDuration(duration, ", such as 3h");
      if (length <= 0) throw misuse("duration must be longer than 0.", "For example: 3h.", "duration");
      const endpoint = findWebhook(engine, id);
      const instants = await instantsOf(endpoint, story, length);
      const began = wallNow();
      return playUndoable(async () => {
        const before = journal.lastSeq();
        const from = clock.now();
        let cancelled = false;
        const goTo = async (to: number) => {
          if (!cancelled && to > clock.now()) ({ cancelled } = await scheduler.advance({ to }));
        };
        const play = async (which: (after: number) => boolean) => {
          for (const { after, send } of instants) {
            if (!which(after)) continue;
            await goTo(from + after);
            if (cancelled) return;
            await send();
          }
        };
        enable(id);
        faults.set(faultTarget(id), FAULTS[kind]);
        try {
          await play((after) => after < length);
          await goTo(from + length);
        } finally {
          // Always clear the fault, so the subscriber is never left failing.
          faults.clear(faultTarget(id));
        }
        const to = clock.now();
        enable(id);
        await engine.deliveries.retryFailed(from, id);
        await play((after) => after >= length);
        const facts = outageFacts(engine.timeline(id, MOST_ATTEMPTS), from, to);
        const about = { kind, story: story ?? null, from: iso(from), to: iso(to), ...facts };
        journal.append("webhook.outage", { id, organization: endpoint.org, ...about });
        return {
          ...{ webhook_id: id, ...about, now: iso(clock.now()) },
          ...{ wall_ms: Math.round(wallNow() - began), cancelled },
          ledger: journal.list({ after: before, order: "asc", limit: MOST_ENTRIES }),
        };
      });
    },
  };
}

/** The maximum number of journal entries in the result. */
const MOST_ENTRIES = 10_000;

const FAULTS: Record<NonNullable<Static<typeof schemas.OutageRequest>["kind"]>, SubscriberFault> = {
  503: { kind: "status", status: 503 },
  timeout: { kind: "timeout" },
  refused: { kind: "refused" },
  reset: { kind: "reset" },
};
