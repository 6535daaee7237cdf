import { useApp } from "../../components/context.ts";
import { href } from "../../models/router.ts";
import { LinkForm } from "./link-form.tsx";

/** A new payment link. */
export function NewLink() {
  const { api, router, toasts } = useApp();
  return (
    <LinkForm
      title="New payment link"
      action="Create link"
      parent={{ title: "Payment links", href: "#/payments/links" }}
      onSave={async (input) => {
        const made = await api.createLink(input);
        toasts.done("Payment link created.");
        router.go(href(["payments", "links", made.id]));
      }}
    />
  );
}
