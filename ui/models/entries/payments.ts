import { href } from "../router.ts";
import { payment, text, type Words } from "./words.ts";

const NOUNS: Record<string, string> = {
  payment_link: "Payment link",
  product: "Product",
  discount_code: "Discount code",
  widget: "Widget",
  api_key: "API key",
};
const PLACES: Record<string, (id: string) => string> = {
  payment_link: (id) => href(["payments", "links", id]),
};

/** What the audit trail has, too: each resource is created, updated, deleted or revoked. */
function changes(): Words {
  const words: Words = {
    "notification.updated": () => ({ title: "Notification settings updated", href: href(["audit"]) }),
  };
  for (const [resource, noun] of Object.entries(NOUNS))
    for (const change of ["created", "updated", "deleted", "revoked"])
      words[`${resource}.${change}`] = ({ id }) => ({
        title: `${noun} ${change}`,
        detail: text(id),
        href:
          change === "deleted"
            ? href(["audit"])
            : (PLACES[resource]?.(text(id)) ?? href(["audit"], { resource_type: resource })),
      });
  return words;
}

/** Payments, checkout sessions, and what an organization changes. */
export const PAYMENT_WORDS: Words = {
  "payment.pending": (data) => ({ title: "Payment pending", href: payment(data.id) }),
  "payment.confirming": (data) => ({ title: "Payment confirming", href: payment(data.id) }),
  "payment.completed": (data) => ({ title: "Payment completed", tone: "good", href: payment(data.id) }),
  "payment.failed": (data) => ({
    title: "Payment failed",
    tone: "bad",
    detail: text(data.failure_reason),
    href: payment(data.id),
  }),
  "checkout.created": (data) => ({ title: "Checkout session opened", href: payment(data.id) }),
  "checkout.updated": (data) => ({ title: "Checkout session updated", href: payment(data.id) }),
  "checkout.completed": (data) => ({ title: "Checkout session completed", href: payment(data.id) }),
  "checkout.expired": (data) => ({ title: "Checkout session expired", href: payment(data.id) }),
  "customer.updated": ({ id }) => ({ title: "Customer updated", detail: text(id) }),
  "customer.deleted": ({ id }) => ({ title: "Customer deleted", detail: text(id) }),
  "organization.updated": ({ id }) => ({ title: "Organization updated", detail: text(id) }),
  ...changes(),
};
