import { useSignal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import type { PaymentLink, PaymentLinkInput } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Field, Select } from "../../components/field.tsx";
import { FormPage } from "../../components/form.tsx";
import { useSubmit } from "../../components/sending.ts";
import { part } from "../../models/binding.ts";
import {
  draftOfLink,
  EMPTY_LINK,
  type LinkDraft,
  readLink,
  SHOWN_FIELDS,
  tokensFor,
} from "../../models/payments/link-draft.ts";
import { href } from "../../models/router.ts";

interface LinkFormProps {
  title: string;
  action: string;
  parent: { title: string; href: string };
  /** The link that is changed; without it a new one is made. */
  link?: PaymentLink;
  /** @throws ApiError */
  onSave: (input: PaymentLinkInput) => Promise<void>;
}

/** What a payment link says and takes. */
export function LinkForm({ title, action, parent, link, onSave }: LinkFormProps) {
  const draft = useSignal<LinkDraft>(link ? draftOfLink(link) : EMPTY_LINK);
  const tokens = tokensFor(link);
  const { error, send } = useSubmit(() => onSave(readLink(draft.value, tokens)));
  const at = error.value instanceof ApiError ? error.value : undefined;
  const errorOf = (field: string) => (at?.param === field ? at.message : undefined);
  const elsewhere = SHOWN_FIELDS.includes(at?.param ?? "") ? undefined : error.value;
  return (
    <FormPage title={title} parent={parent} action={action} onSend={send} error={elsewhere}>
      <Field
        label="Name"
        of={part(draft, "name")}
        error={errorOf("name")}
        placeholder="House espresso, 1 kg"
      />
      <Select
        label="Token"
        of={part(draft, "token")}
        options={tokens.map(({ key, title: option }) => [key, option] as const)}
      />
      <Field
        label="Amount"
        of={part(draft, "amount")}
        error={errorOf("amount")}
        hint="Left empty, the payer chooses."
      />
      <Field label="Description" of={part(draft, "description")} error={errorOf("description")} />
      <Field
        label="Most uses"
        of={part(draft, "uses", (text) => text.replace(/\D/g, ""))}
        error={errorOf("max_uses")}
        hint="Left empty, there is no limit."
      />
      <Field
        label="Expires"
        of={part(draft, "expires")}
        error={errorOf("expires_at")}
        placeholder="2026-02-01T00:00:00Z"
        hint="Virtual time, ISO 8601. Left empty, it never expires."
      />
    </FormPage>
  );
}

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
