import { listed, named, text, type Words } from "./words.ts";

const NOUNS: Record<string, string> = {
  payment_link: "Payment link",
  product: "Product",
  discount_code: "Discount code",
  widget: "Widget",
  api_key: "API key",
};

/** Entries that are also in the audit trail: each resource is created, updated, deleted or revoked. */
const CHANGES: Words = Object.fromEntries(
  Object.entries(NOUNS).flatMap(([resource, noun]) =>
    ["created", "updated", "deleted", "revoked"].map((change) => [
      `${resource}.${change}`,
      named(`${noun} ${change}`),
    ]),
  ),
);

/** Payments, checkout sessions, and changes of an organization. */
export const PAYMENT_WORDS: Words = {
  ...CHANGES,
  "notification.updated": () => ({ title: "Notification settings updated" }),
  "payment.pending": named("Payment pending"),
  "payment.confirming": named("Payment confirming"),
  "payment.completed": named("Payment completed", "good"),
  "payment.failed": (data) => ({
    title: "Payment failed",
    tone: "bad",
    detail: listed(text(data.failure_reason).replaceAll("_", " "), text(data.id)),
  }),
  "checkout.created": named("Checkout session created"),
  "checkout.updated": named("Checkout session updated"),
  "checkout.completed": named("Checkout session completed", "good"),
  "checkout.expired": named("Checkout session expired"),
  "customer.created": named("Customer created"),
  "customer.updated": named("Customer updated"),
  "customer.deleted": named("Customer deleted"),
  "organization.updated": named("Organization updated"),
};
