import { type Static, type TObject, Type } from "typebox";
import { flag, integer, listOf, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { CheckoutSession, CheckoutSessionCreate } from "../payments/schemas/checkout-sessions.ts";
import { PaymentLink, PaymentLinkCreate } from "../payments/schemas/payment-links.ts";
import { PaymentInput, Transaction } from "../payments/schemas/transactions.ts";
import { SESSION_STATUSES } from "../payments/words.ts";
import { planFields, TimelineAttempt } from "../timeline/schemas.ts";
import { either } from "../timeline/text.ts";
import { WebhookDelivery } from "../webhooks/schemas.ts";
import { body, closed, idOf, Organization, optional, PageSize, partialBody } from "./common.ts";
import { operationsOf } from "./operation.ts";

export const Pay = partialBody("Pay", {
  payment_link_id: text("A link's id, short code or URL; opens a session for it."),
  session_id: Type.String(),
  ...PaymentInput.properties,
});

export const PaidDelivery = shape("PaidDelivery", {
  ...WebhookDelivery.properties,
  seeded: flag("Whether the endpoint is part of the demo data."),
});
export const PayResult = shape("PayResult", {
  transaction: Transaction,
  session: CheckoutSession,
  deliveries: listOf(
    PaidDelivery,
    "The first attempt at every endpoint that subscribes to the event, your own endpoints first.",
  ),
});

export interface OwnedList<Item> {
  data: (Item & { organization: string })[];
  total_count: number;
}
/** A list of rows, each with its organization. */
const ownedOf = <Item extends TObject>(title: string, { properties }: Item) =>
  Type.Unsafe<OwnedList<Static<Item>>>(
    shape(title, {
      data: Type.Array(Type.Object({ ...properties, organization: Type.String() })),
      total_count: integer("All that match."),
    }),
  );

export const LinkParams = Type.Object({
  link: text("A payment link: its id, short code or URL."),
});
export const LinksQuery = closed({
  ...optional({
    search: Type.String({
      maxLength: 200,
      description: "Only links with this text in their name or short code.",
    }),
    active: flag("Only links that can be paid, or only those that cannot."),
  }),
  sort: oneOf(["created_at", "current_uses"], {
    default: "created_at",
    description: "The newest first, or the most used.",
  }),
  limit: PageSize,
  organization: Organization,
});
export const NewLink = body("NewLink", {
  ...PaymentLinkCreate.properties,
  organization: Type.Optional(
    text("The organization that owns the link, by id or name. Default: the first organization."),
  ),
});

export const SessionsQuery = closed({
  ...optional({
    link: text("Only sessions opened from this payment link: its id, short code or URL."),
    status: oneOf(SESSION_STATUSES, { description: `Only ${either(SESSION_STATUSES)} ones.` }),
  }),
  limit: PageSize,
  organization: Organization,
});
const { payment_link_id: _, ...sessionFields } = CheckoutSessionCreate.properties;
export const NewSession = body("NewSession", sessionFields);

export const FollowedPayment = shape("FollowedPayment", {
  session: nullable(CheckoutSession),
  payments: listOf(Transaction, "The session's payments, oldest first."),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      about: text("The transaction or session that the event is about."),
      created_at: VirtualTime,
      endpoints: Type.Array(
        Type.Object({
          ...{ webhook_id: Type.String(), url: Type.String(), ...planFields },
          deliveries: Type.Array(TimelineAttempt),
        }),
      ),
    }),
  ),
});
export type FollowedPayment = Static<typeof FollowedPayment>;

const operation = operationsOf("Payments");

/**
 * Operations on payment links, sessions and payments, whether payers or the dashboard made them. Each operation acts
 * for the organization that owns the object.
 */
export const paymentOperations = [
  operation("payments.pay", "POST /payments", {
    id: "pay",
    reachesOut: true,
    summary: "Trigger a payment",
    description:
      "Pays a payment link (which opens a session) or a session. Responds once each first delivery has a result or `settleTimeout` has passed.",
    body: Pay,
    answer: PayResult,
    library: { takes: ["*"] },
  }),
  operation("payments.follow", "GET /payments/:id", {
    id: "followPayment",
    summary: "Follow a payment through its events and deliveries",
    description:
      "Takes a transaction, a checkout session, or an event of either. Returns the session's payments, the events they caused, and each attempt to deliver those events.",
    params: idOf("a transaction, a checkout session or its `client_reference_id`, or an event of either"),
    answer: FollowedPayment,
  }),
  operation("payments.links", "GET /links", {
    id: "listLinks",
    summary: "List payment links, newest first",
    query: LinksQuery,
    answer: ownedOf("Links", PaymentLink),
  }),
  operation("payments.createLink", "POST /links", {
    id: "createLink",
    summary: "Create a payment link",
    description:
      "The money goes to the organization's default address unless the link specifies another address.",
    body: NewLink,
    answer: PaymentLink,
    status: 201,
    library: { takes: ["*"] },
  }),
  operation("payments.link", "GET /links/:link", {
    id: "readLink",
    summary: "Read a payment link",
    params: LinkParams,
    answer: PaymentLink,
    library: { takes: ["link"] },
  }),
  operation("payments.sessions", "GET /sessions", {
    id: "listSessions",
    summary: "List checkout sessions, newest first",
    query: SessionsQuery,
    answer: ownedOf("Sessions", CheckoutSession),
  }),
  operation("payments.openSession", "POST /links/:link/sessions", {
    id: "openSession",
    summary: "Open a checkout session of a link",
    params: LinkParams,
    body: NewSession,
    answer: CheckoutSession,
    status: 201,
    library: { takes: ["link", "*"] },
  }),
  operation("payments.session", "GET /sessions/:id", {
    id: "readSession",
    summary: "Read a checkout session",
    params: idOf("a checkout session"),
    answer: CheckoutSession,
    library: { takes: ["id"] },
  }),
  operation("payments.expire", "POST /sessions/:id/expire", {
    id: "expireSession",
    reachesOut: true,
    summary: "Expire a checkout session now",
    params: idOf("a checkout session, or its `client_reference_id`"),
    answer: CheckoutSession,
    library: { takes: ["id"] },
  }),
  operation("payments.transaction", "GET /transactions/:id", {
    id: "readTransaction",
    summary: "Read a payment",
    params: idOf("a transaction"),
    answer: Transaction,
    library: { takes: ["id"] },
  }),
];
