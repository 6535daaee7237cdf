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
] as const;

/** What came in, and what happened. */
export default function Activity({ parts: [tab = "calls", id] }: ViewProps) {
  return (
    <div class="view wide">
      <ViewHead title="Activity" note="Every API call and every journal entry, as it happens." />
      <Tabs label="Kinds of activity" current={tab} tabs={TABS} hrefOf={(name) => href(["activity", name])} />
      {tab === "journal" ? <JournalTab seq={Number(id)} /> : <CallsTab id={Number(id)} />}
    </div>
  );
}
