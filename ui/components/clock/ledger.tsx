import { describeEntry } from "../../models/describe.ts";
import { endpointIdOf } from "../../models/endpoints.ts";
import { brief, toMs } from "../../models/format.ts";
import { ledgerLine, moreLine } from "../../models/ledger.ts";
import { useApp } from "../context.ts";
import { Address, Button } from "../parts.tsx";

/** What the latest advance caused. */
export function LedgerPanel() {
  const { endpoints, ledger } = useApp();
  const last = ledger.last.value;
  if (!last || !ledger.open.value) return null;
  return (
    <aside class="ledger" aria-label="Summary of the latest advance">
      <header>
        <p role="status">{ledgerLine(last)}</p>
        <Button
          look="quiet"
          icon="cross"
          aria-label="Close the summary"
          onClick={() => {
            ledger.open.value = false;
          }}
        />
      </header>
      {last.entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol tabIndex={0} aria-label="Entries">
          {last.entries.map((entry) => {
            const { title, detail, tone, href } = describeEntry(entry);
            const endpoint = endpointIdOf(entry);
            return (
              <li key={entry.seq} class={tone}>
                <time>{brief(toMs(entry.at), last.from)}</time>
                <span class="entry">
                  {href ? <a href={href}>{title}</a> : title}
                  {detail && <span class="detail"> {detail}</span>}
                </span>
                {endpoint !== undefined && (
                  <span class="detail ledger-endpoint">
                    <Address of={endpoints.find(endpoint)?.url.replace(/^https?:\/\//, "") ?? endpoint} />
                  </span>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {moreLine(last) && (
        <p class="note">
          {moreLine(last)}: see <a href="#/activity/journal">the journal</a>
        </p>
      )}
    </aside>
  );
}
