import { useSignal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import type { PaymentLink, PaymentLinkInput } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { CopyLine } from "../../components/copy.tsx";
import { Field, Select } from "../../components/field.tsx";
import { FormPage } from "../../components/form.tsx";
import { Button, ButtonLink, Facts, Pill, Text, Time, Unread, ViewHead } from "../../components/parts.tsx";
import { PayButton, PayDialog } from "../../components/pay.tsx";
import { useSubmit } from "../../components/sending.ts";
import { useDialog } from "../../components/use-dialog.ts";
import { part } from "../../models/binding.ts";
import { number } from "../../models/format.ts";
import {
  draftOfLink,
  EMPTY_LINK,
  findLink,
  type LinkDraft,
  readLink,
  SHOWN_FIELDS,
  tokensFor,
} from "../../models/payments/link-choice.ts";
import { chainName } from "../../models/payments/money.ts";
import { href } from "../../models/router.ts";
import { amountOf } from "./filters.tsx";

/** What a change back to a link as it is says. */
const asInput = (link: PaymentLink): Partial<PaymentLinkInput> => {
  const { name, description, amount, chain_id, token_address, max_uses, expires_at } = link;
  return { name, description, amount, chain_id, token_address, max_uses, expires_at };
};

/** One payment link. */
export function LinkPage({ id, editing }: { id: string; editing: boolean }) {
  const { api, organization, router, toasts } = useApp();
  const found = useLiveReading(({ data }) => data.id === id || data.payment_link_id === id, () => {
    const others = organization.all.peek().map((one) => one.id);
    return findLink(api, [...new Set([organization.id.peek(), ...others])], id);
  }, [id]);
  const paying = useDialog();
  if (found.error.value || !found.value.value) return <Unread of={found} />;
  const { link: shown, organization: owner } = found.value.value;
  const update = async (change: Partial<PaymentLinkInput>) => {
    await api.updateLink(id, owner, change);
    await found.read();
  };
  if (editing)
    return (
      <LinkForm
        title="Edit the payment link"
        action="Save"
        parent={{ title: shown.name.slice(0, 80), href: href(["payments", "links", id]) }}
        link={shown}
        onSave={async (input) => {
          const before = asInput(shown);
          await update(input);
          toasts.done("Payment link updated.", () => update(before));
          router.go(href(["payments", "links", id]));
        }}
      />
    );
  const activate = (active: boolean) =>
    toasts.attempt(async () => {
      await update({ active });
      toasts.done(`The link ${active ? "takes payments again" : "no longer takes payments"}.`, () =>
        update({ active: !active }),
      );
    });
  const { max_uses: most, expires_at: expires } = shown;
  return (
    <div class="view narrow">
      <ViewHead
        path={
          <>
            <a href="#/payments/links">Payment links</a> / <code>{id}</code>
          </>
        }
        title={shown.name}
      >
        <div class="actions">
          <PayButton disabled={!shown.active} onClick={() => paying.open(true)} />
          <ButtonLink to={href(["payments", "links", id, "edit"])}>Edit</ButtonLink>
          <Button onSend={() => activate(!shown.active)}>{shown.active ? "Deactivate" : "Activate"}</Button>
          <ButtonLink out to={shown.url}>
            Open the page
          </ButtonLink>
        </div>
      </ViewHead>
      <div class="card">
        <Facts
          of={[
            [
              "State",
              <Pill key="state" tone={shown.active ? "good" : "plain"}>
                {shown.active ? "active" : "inactive"}
              </Pill>,
            ],
            owner !== organization.all.value[0]?.id && [
              "Of",
              <Text key="owner" of={organization.nameOf(owner)} />,
            ],
            ["Amount", amountOf(shown)],
            ["Page", <CopyLine key="url" text={shown.url} what="the address of the page" />],
            ["Uses", number(shown.current_uses) + (most === null ? "" : ` of ${number(most)}`)],
            ["Chain", chainName(shown.chain_id)],
            ["To", <code key="to">{shown.recipient_address}</code>],
            ["Created", <Time key="created" at={shown.created_at} />],
            ["Expires", expires === null ? "never" : <Time key="expires" at={expires} />],
            !!shown.description && ["Description", <Text key="about" of={shown.description} />],
          ]}
        />
      </div>
      <p class="flow links">
        <a href={href(["payments", "sessions"], { payment_link_id: id })}>Its sessions</a>
        <a href={href(["payments", "transactions"], { payment_link_id: id })}>Its transactions</a>
      </p>
      {paying.target.value && <PayDialog target={{ link: shown }} onClose={paying.close} />}
    </div>
  );
}

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
function LinkForm({ title, action, parent, link, onSave }: LinkFormProps) {
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
