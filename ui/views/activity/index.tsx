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
      <header class="view-head">
        <div>
          <h1>Activity</h1>
          <p class="note">Each call of the API, and each entry of the journal, as it happens.</p>
        </div>
      </header>
      <nav class="tabs" aria-label="Kinds of activity">
        {TABS.map(([name, title]) => (
          <a key={name} href={href(["activity", name])} aria-current={tab === name ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {tab === "journal" ? <JournalTab seq={Number(id)} /> : <CallsTab id={Number(id)} />}
    </div>
  );
}
