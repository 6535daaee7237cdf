import { ViewHead } from "../../components/parts.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { CallsTab } from "./calls.tsx";
import { JournalTab } from "./journal.tsx";
import "./activity.css";

const TABS = [
  ["calls", "API calls"],
  ["journal", "Journal"],
  ["audit", "Audit"],
] as const;

/** The kinds of activity, of which the audit trail has an address of its own. */
export function ActivityTabs({ current }: { current: string }) {
  const hrefOf = (name: string) => href(name === "audit" ? [name] : ["activity", name]);
  return <Tabs label="Kinds of activity" current={current} tabs={TABS} hrefOf={hrefOf} />;
}

/** What came in, and what happened. */
export default function Activity({ parts: [tab = "calls", id] }: ViewProps) {
  return (
    <div class="view wide">
      <ViewHead title="Activity" note="Every API call and every journal entry, as it happens." />
      <ActivityTabs current={tab} />
      {tab === "journal" ? <JournalTab seq={Number(id)} /> : <CallsTab id={Number(id)} />}
    </div>
  );
}
