import { Type } from "typebox";
import { FAILURE_REASONS } from "../../payments/rows.ts";
import { attemptResult } from "../../story/attempt.ts";
import { nullable, oneOf, optional, text, VirtualTime } from "../schemas.ts";
import { tool } from "../tool.ts";

/** The last part of a link's URL is its short code. */
const linkCode = (target: string): string => target.replace(/\/+$/, "").split("/").at(-1)!;

/** Payments and checkout sessions. */
export const paymentTools = [
  tool({
    name: "pay",
    title: "Pay a link or a session",
    description:
      "Makes a customer pay, or fail to. Sends the webhooks that follow and returns what subscribers answered to the first attempts.",
    effect: "changes",
    reachesOut: true,
    input: {
      target: text("A payment link's id, short code or URL, or a checkout session's id (cs_…)."),
      outcome: optional(oneOf(["completed", "failed"], { default: "completed" })),
      failure_reason: optional(oneOf(FAILURE_REASONS, { description: "Only with outcome failed." })),
      amount: optional(text("In the token's smallest unit, if the link leaves it open.")),
      discount_code: optional(Type.String()),
      client_reference_id: optional(text("Your own reference; it comes back in every event.")),
      metadata: optional(Type.Record(Type.String(), Type.String())),
      customer_email: optional(Type.String()),
    },
    output: {
      transaction: Type.Object({
        id: Type.String(),
        status: Type.String(),
        failure_reason: nullable(Type.String()),
        amount: text("In the token's smallest unit."),
      }),
      session: Type.Object({ id: Type.String(), status: Type.String() }),
      deliveries: Type.Array(
        Type.Object({
          id: Type.String(),
          event: Type.String(),
          event_id: Type.String(),
          webhook_id: Type.String(),
          url: Type.String(),
          status: oneOf(["pending", "success", "failed"]),
          result: text("How the first attempt ended, in words."),
          next_attempt_at: nullable(VirtualTime),
        }),
      ),
    },
    async run({ sandbox }, { target, ...options }) {
      const { transaction, session, deliveries } = await (await sandbox()).run("payments.pay", {
        ...(target.startsWith("cs_") ? { session_id: target } : { payment_link_id: linkCode(target) }),
        ...options,
      });
      return {
        transaction: {
          id: transaction.id,
          status: transaction.status,
          failure_reason: transaction.failure_reason,
          amount: transaction.amount,
        },
        session: { id: session.id, status: session.status },
        deliveries: deliveries.map((delivery) => ({
          id: delivery.id,
          event: delivery.event,
          event_id: delivery.event_id,
          webhook_id: delivery.webhook_id,
          url: delivery.url,
          status: delivery.status,
          result: attemptResult(delivery),
          next_attempt_at: delivery.next_attempt_at,
        })),
      };
    },
  }),
  tool({
    name: "expire_session",
    title: "Expire a checkout session",
    description:
      "Expires an active checkout session now, as if its time had run out, and sends checkout.expired.",
    effect: "changes",
    reachesOut: true,
    input: { session: text("The session's id (cs_…).") },
    output: { id: Type.String(), status: Type.String() },
    async run({ sandbox }, { session }) {
      const { id, status } = await (await sandbox()).run("payments.expire", { id: session });
      return { id, status };
    },
  }),
];
