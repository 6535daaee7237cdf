import { useSignal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import type { PaymentLink, PaymentLinkInput } from "../../api-types.ts";
import { Field, Select } from "../../components/field.tsx";
import { FormPage } from "../../components/form-page.tsx";
import {
  draftOfLink,
  EMPTY_LINK,
  type LinkDraft,
  readLink,
  SHOWN_FIELDS,
  tokensFor,
} from "../../models/payments/link-draft.ts";

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
  const error = useSignal<ApiError | Error | undefined>(undefined);
  const tokens = tokensFor(link);
  const change = (part: Partial<LinkDraft>) => {
    draft.value = { ...draft.value, ...part };
  };
  const save = async () => {
    try {
      await onSave(readLink(draft.value, tokens));
    } catch (reason) {
      error.value = reason as Error;
    }
  };

  const at = error.value instanceof ApiError ? error.value : undefined;
  const errorOf = (field: string) => (at?.param === field ? at.message : undefined);
  const elsewhere = SHOWN_FIELDS.includes(at?.param ?? "") ? undefined : error.value;
  const { name, description, token, amount, uses, expires } = draft.value;
  return (
    <FormPage title={title} parent={parent} action={action} onSend={save} error={elsewhere}>
      <Field
        label="Name"
        value={name}
        error={errorOf("name")}
        placeholder="House espresso, 1 kg"
        onInput={(text) => change({ name: text })}
      />
      <Select
        label="Token"
        value={token}
        options={tokens.map(({ key, title: option }) => [key, option] as const)}
        onChange={(next) => change({ token: next })}
      />
      <Field
        label="Amount"
        value={amount}
        error={errorOf("amount")}
        hint="Left empty, the payer chooses."
        onInput={(text) => change({ amount: text })}
      />
      <Field
        label="Description"
        value={description}
        error={errorOf("description")}
        onInput={(text) => change({ description: text })}
      />
      <Field
        label="Most uses"
        value={uses}
        error={errorOf("max_uses")}
        hint="Left empty, there is no limit."
        onInput={(text) => change({ uses: text.replace(/\D/g, "") })}
      />
      <Field
        label="Expires"
        value={expires}
        error={errorOf("expires_at")}
        placeholder="2026-02-01T00:00:00Z"
        hint="Virtual time, ISO 8601. Left empty, it never does."
        onInput={(text) => change({ expires: text })}
      />
    </FormPage>
  );
}
