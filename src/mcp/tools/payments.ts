import { Type } from "typebox";
import { nullable, oneOf } from "../../http/shapes.ts";
import { attemptResult } from "../../timeline/attempt.ts";
import { text, VirtualTime } from "../schemas.ts";
import { operationTool } from "../tool.ts";

/** The last part of a link's URL is its short code. */
const linkCode = (target: string): string => target.replace(/\/+$/, "").split("/").at(-1)!;

/** Payments and checkout sessions. */
export const paymentTools = [
  operationTool({
    name: "pay",
    does: "payments.pay",
    title: "Pay a link or a session",
    description:
      "Makes a customer pay, or fail to. Sends the webhooks that follow and returns what subscribers answered to the first attempts.",
    own: { target: text("A payment link's id, short code or URL, or a checkout session's id (cs_…).") },
    takes: [
      "outcome",
      "failure_reason",
      "amount",
      "discount_code",
      "client_reference_id",
      "metadata",
      "customer_email",
    ],
    read: ({ target, ...options }) => ({
      ...(target.startsWith("cs_") ? { session_id: target } : { payment_link_id: linkCode(target) }),
      ...options,
    }),
    gives: {
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
    view: ({ transaction: { id, status, failure_reason, amount }, session, deliveries }) => ({
      transaction: { id, status, failure_reason, amount },
      session: { id: session.id, status: session.status },
      deliveries: deliveries.map((delivery) => {
        const { id, event, event_id, webhook_id, url, status, next_attempt_at } = delivery;
        const result = attemptResult(delivery);
        return { id, event, event_id, webhook_id, url, status, result, next_attempt_at };
      }),
    }),
  }),
  operationTool({
    name: "expire_session",
    does: "payments.expire",
    description:
      "Expires an active checkout session now, as if its time had run out, and sends checkout.expired.",
    takes: ["session:id"],
    gives: ["id", "status"],
  }),
];
