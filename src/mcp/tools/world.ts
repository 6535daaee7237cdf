import { Type } from "typebox";
import { conflict } from "../../errors/errors.ts";
import { flag, text } from "../../http/shapes.ts";
import type { AdvancePreview } from "../../library/index.ts";
import { attemptResult } from "../../timeline/attempt.ts";
import { describeTimer, tally } from "../../timeline/entries.ts";
import { operationTool, optional } from "../tool.ts";
import { entryViews, pick } from "../views.ts";

/** The maximum number of payment links shown in the status. */
const SHOWN_LINKS = 30;
/** The maximum number of entries, and of timers, in the result of an advance. */
const MOST_SHOWN = 100;

/** Advance to the next event that the agent caused or, if no such event is due, to the next due event of any kind. */
const readTarget = (target: object) => ({
  ...target,
  ...("until" in target && { own: target.until === "next" }),
});

/** The last part of a link's URL is its short code. */
const linkCode = (target: string): string => target.replace(/\/+$/, "").split("/").at(-1)!;

export const worldTools = [
  operationTool({
    name: "status",
    does: "status",
    description:
      "Start here. Returns the sandbox's addresses, API keys and virtual clock, its webhook endpoints with their signing secrets, and payment links that can be paid. Starts a sandbox if none is running.",
    gives: [
      ...["url", "version", "world", "seed", "clock", "keys", "counts", "apis", "endpoints", "payment_links"],
    ],
    async view(status, { client }) {
      const [endpoints, links] = await Promise.all([
        client.webhooks(),
        client.run("payments.links", { active: true, sort: "current_uses", limit: SHOWN_LINKS }),
      ]);
      return {
        ...pick(status, "url", "version", "world", "seed", "clock", "keys", "counts"),
        apis: status.bases,
        endpoints: endpoints.map((one) =>
          pick(one, "id", "url", "status", "events", "secret", "consecutive_failures", "threshold"),
        ),
        payment_links: links.data.map((link) => pick(link, "short_code", "name", "amount")),
      };
    },
  }),
  operationTool({
    name: "events",
    does: "events",
    title: "Read the journal",
    description:
      "Returns what happened in the world, newest entries last: payments, deliveries, expiries, clock changes, API calls. To continue, set `after` to the last seq.",
    takes: ["after"],
    own: {
      types: optional(
        Type.Array(Type.String(), {
          description: "Only these kinds, such as payment.completed; a name may end in *, as in delivery.*",
        }),
      ),
      limit: optional(
        Type.Integer({
          minimum: 1,
          maximum: 500,
          default: 50,
          description: "How many of the latest entries to return.",
        }),
      ),
    },
    read: (input) => ({ ...input, order: "desc" }),
    gives: ["entries"],
    view: ({ data }) => ({ entries: entryViews(data.reverse()) }),
  }),
  operationTool({
    name: "pay",
    does: "payments.pay",
    description:
      "Makes a customer's payment succeed or fail. Sends the resulting webhooks and returns how subscribers responded to the first attempts. Amounts are in the token's smallest unit.",
    own: { target: text("A payment link's id, short code or URL, or a checkout session's id (cs_…).") },
    takes: [
      ...["outcome", "failure_reason", "amount", "discount_code", "client_reference_id"],
      ...["metadata", "customer_email"],
    ],
    read: ({ target, ...options }) => ({
      ...(target.startsWith("cs_") ? { session_id: target } : { payment_link_id: linkCode(target) }),
      ...options,
    }),
    gives: ["transaction", "session", "deliveries"],
    view: ({ transaction, session, deliveries }) => ({
      transaction: pick(transaction, "id", "status", "failure_reason", "amount"),
      session: pick(session, "id", "status"),
      deliveries: deliveries.map((one) => ({
        ...pick(one, "id", "event", "event_id", "webhook_id", "url", "status", "next_attempt_at"),
        result: attemptResult(one),
      })),
    }),
  }),
  operationTool({
    name: "expire_session",
    does: "payments.expire",
    takes: ["session:id"],
    gives: ["id", "status"],
  }),
  operationTool({
    name: "advance",
    does: "clock.advance",
    description:
      "Moves the virtual clock forward (pass by, to or until) and runs everything due until then: webhook retries, expiries, disabled endpoints. Returns what it caused once nothing is in flight. The clock never goes back.",
    takes: ["by", "to", "until"],
    read: readTarget,
    cancel: "clock.cancelAdvance",
    gives: ["from", "to", "reached", "cancelled", "summary", "entries"],
    view: ({ ledger, ...advance }) => ({
      ...pick(advance, "from", "to", "reached", "cancelled"),
      summary: tally(ledger) || "Nothing was due.",
      entries: entryViews(ledger).slice(-MOST_SHOWN),
    }),
  }),
  operationTool({
    name: "preview_advance",
    does: "clock.advance",
    title: "Preview an advance",
    description:
      "Reports what an advance would find due first, and what it would cause: the minimum and maximum number of webhook attempts, and events by type. Changes nothing.",
    effect: "reads",
    reachesOut: false,
    takes: ["by", "to", "until"],
    read: (target) => ({ ...readTarget(target), dryRun: true }),
    gives: ["from", "to", "due", "attempts", "events"],
    view(answer) {
      const { from, to, would_fire: due, would_cause: caused } = answer as unknown as AdvancePreview;
      const first = due
        .slice(0, MOST_SHOWN)
        .map((timer) => ({ at: timer.due_at, what: describeTimer(timer), key: timer.key }));
      return { from, to, due: first, attempts: caused.attempts, events: caused.events };
    },
  }),
  operationTool({
    name: "reset",
    does: "reset",
    description:
      "Restores the world to its fixtures and its starting time. Removes everything created since then, including endpoints; undo brings it back.",
    takes: ["seed"],
    gives: ["seed", "clock"],
  }),
  operationTool({
    name: "undo",
    does: "undo",
    gives: ["seed", "clock"],
  }),
  operationTool({
    name: "save_snapshot",
    does: "snapshot",
    description: "Saves the whole world under a name: data, clock, timers, randomness and faults.",
    own: {
      name: text("Letters, digits, dots, hyphens and underscores."),
      replace: optional(
        flag("Whether to replace an existing snapshot with that name. By default, the call fails."),
      ),
    },
    async read({ name, replace = false }, client) {
      if (replace || !(await client.run("snapshots.list")).data.some((snapshot) => snapshot.name === name))
        return { name };
      throw conflict(
        `There is already a snapshot named '${name}'.`,
        "Choose another name, or pass replace: true.",
      );
    },
    gives: ["name", "now", "bytes"],
  }),
  operationTool({
    name: "restore_snapshot",
    does: "restore",
    description:
      "Restores the whole world from a snapshot. The undo tool brings back the world as it was before.",
    takes: ["name"],
    gives: ["clock"],
  }),
];
