import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { CreateLink } from "./create-link.tsx";
import { LinkPage } from "./link.tsx";
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

/** Links, sessions and transactions, and what became of each payment. */
export default function Payments({ parts: [tab = "links", id] }: ViewProps) {
  if (tab === "story" && id) return <Story key={id} id={id} />;
  if (tab === "links" && id === "new") return <CreateLink />;
  if (tab === "links" && id) return <LinkPage key={id} id={id} />;
  return (
    <div class="view wide">
      <header class="view-head">
        <div>
          <h1>Payments</h1>
          <p class="note">Pay as your customer would, with any outcome, and follow what comes of it.</p>
        </div>
        <a class="button main" href="#/payments/links/new">
          New payment link
        </a>
      </header>
      <nav class="tabs" aria-label="Kinds">
        {TABS.map(([name, title]) => (
          <a key={name} href={href(["payments", name])} aria-current={tab === name ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {tab === "sessions" ? <Sessions /> : tab === "transactions" ? <Transactions /> : <Links />}
    </div>
  );
}
