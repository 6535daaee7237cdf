import { listed, named, text, type Words } from "./words.ts";

/** Payments, checkout sessions and changes by an organization whose entry type alone does not explain them. */
export const PAYMENT_WORDS: Words = {
  "notification.updated": () => ({ title: "Notification settings updated" }),
  "api_key.created": named("API key created"),
  "api_key.revoked": named("API key revoked"),
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
};
