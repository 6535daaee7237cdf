import type { PaymentLink, PaymentLinkInput } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { CopyLine } from "../../components/copy.tsx";
import { useDialog } from "../../components/dialog.tsx";
import { Button, Facts, Loading, Pill, Problem, Text, ViewHead } from "../../components/parts.tsx";
import { PayDialog } from "../../components/pay.tsx";
import { Time } from "../../components/time.tsx";
import { useLiveReading } from "../../components/use-reading.ts";
import { number } from "../../models/format.ts";
import { findLink } from "../../models/payments/link-choice.ts";
import { chainName } from "../../models/payments/money.ts";
import { href } from "../../models/router.ts";
import { amountOf } from "./filters.tsx";
import { LinkForm } from "./link-form.tsx";

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
  if (found.error.value) return <Problem error={found.error.value} retry={() => void found.read()} />;
  if (!found.value.value) return <Loading />;
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
          <Button look="main" disabled={!shown.active} onClick={() => paying.open(true)}>
            Pay…
          </Button>
          <a class="button" href={href(["payments", "links", id, "edit"])}>
            Edit
          </a>
          <Button onSend={() => activate(!shown.active)}>{shown.active ? "Deactivate" : "Activate"}</Button>
          <a class="button" href={shown.url} target="_blank" rel="noreferrer">
            Open the page
          </a>
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
