import { useApp } from "../../components/context.ts";
import { Select } from "../../components/field.tsx";
import { ButtonLink, ViewHead } from "../../components/parts.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { bind } from "../../models/binding.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { LinkPage, NewLink } from "./link.tsx";
import { Links } from "./links.tsx";
import { Sessions } from "./sessions.tsx";
import { Story } from "./story.tsx";
import { Transactions } from "./transactions.tsx";
import "./payments.css";

const TABS = [
  ["links", "Links"],
  ["sessions", "Sessions"],
  ["transactions", "Transactions"],
] as const;

/** Whose payments are looked at; nothing where there is only one organization. */
function OrganizationChoice() {
  const { organization } = useApp();
  const all = organization.all.value;
  if (all.length < 2) return null;
  return (
    <Select
      label="Organization"
      hideLabel
      of={bind(organization.id.value, organization.choose)}
      options={all.map(({ id, name }) => [id, name] as const)}
    />
  );
}

/** Links, sessions and transactions, and what became of each payment. */
export default function Payments({ parts: [tab = "links", id, action] }: ViewProps) {
  if (tab === "story" && id) return <Story key={id} id={id} />;
  if (tab === "links" && id === "new") return <NewLink />;
  if (tab === "links" && id) return <LinkPage key={id} id={id} editing={action === "edit"} />;
  return (
    <div class="view wide">
      <ViewHead
        title="Payments"
        note="Pay as your customer would, with any outcome, and follow every webhook that it causes."
      >
        <div class="actions">
          <OrganizationChoice />
          <ButtonLink look="main" to="#/payments/links/new">
            New payment link
          </ButtonLink>
        </div>
      </ViewHead>
      <Tabs label="Kinds" current={tab} tabs={TABS} hrefOf={(name) => href(["payments", name])} />
      {tab === "sessions" ? <Sessions /> : tab === "transactions" ? <Transactions /> : <Links />}
    </div>
  );
}
