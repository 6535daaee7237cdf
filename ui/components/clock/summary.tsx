import { describeEntry } from "../../models/describe.ts";
import { endpointIdOf } from "../../models/endpoints.ts";
import { brief, relative, toMs } from "../../models/format.ts";
import { ledgerLine, moreLine } from "../../models/ledger.ts";
import { useApp } from "../context.ts";
import { Ids } from "../ids.tsx";
import { Address, Button } from "../parts.tsx";

/** Shows what the latest advance caused. The row is always present, so the layout never shifts. */
export function Summary() {
  const { ledger, stage, undo } = useApp();
  const last = ledger.last.value;
  const undone = undo.label.value;
  if (!last) return <Next />;
  const latest = last.playing ? last.entries.at(-1) : undefined;
  return (
    <aside class="summary" aria-label="Summary of the advance" data-playing={last.playing || undefined}>
      {/* Announced once, after the animation ends. */}
      <p
        key={String(last.playing)}
        class="summary-line ellipsis"
        {...(last.playing ? {} : { role: "status", title: ledgerLine(last) })}
      >
        {ledgerLine(last)}
      </p>
      {latest && (
        <p key={latest.seq} class={`summary-entry ellipsis ${describeEntry(latest).tone}`} aria-hidden="true">
          <time>{brief(toMs(latest.at), last.from)}</time> {describeEntry(latest).title}
        </p>
      )}
      <div class="summary-tools">
        {undone !== undefined && !last.playing && (
          <Button
            look="quiet"
            data-testid="undo-advance"
            onSend={undo.undo}
            title="Restores the world as it was before this advance. Everything you did since then is undone, too."
          >
            Undo {undone}
          </Button>
        )}
        {last.playing ? (
          <Button look="quiet" onClick={stage.skip} title="Skip to the end (Esc)">
            Skip
          </Button>
        ) : (
          last.entries.length > 0 && (
            <Button
              look="quiet"
              aria-expanded={ledger.open.value}
              onClick={() => (ledger.open.value = !ledger.open.value)}
            >
              {ledger.open.value ? "Hide entries" : "Show entries"}
            </Button>
          )
        )}
      </div>
    </aside>
  );
}

/** Shows what is due next. Displayed before the first advance. */
function Next() {
  const { clock } = useApp();
  const { nextDue } = clock.state.value;
  const now = clock.second.value;
  return (
    <aside class="summary" aria-label="Summary of the advance">
      <p class="summary-line note ellipsis">
        {typeof nextDue === "number"
          ? `Something is due ${relative(nextDue, now)}, at ${brief(nextDue, now)}. Advance the clock to let it happen.`
          : "Advance the clock to see what it causes here."}
      </p>
    </aside>
  );
}

/** The entries of the summary, in a panel next to the view. */
export function SummaryEntries() {
  const { endpoints, ledger } = useApp();
  const last = ledger.last.value;
  if (!last || !ledger.open.value || last.entries.length === 0) return null;
  return (
    <section class="ledger" aria-label="Entries of the summary">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard */}
      <ol tabIndex={0} aria-label="Entries">
        {last.entries.map((entry) => {
          const { title, detail, tone, href } = describeEntry(entry);
          const endpoint = endpointIdOf(entry);
          return (
            <li key={entry.seq} class={tone}>
              <time>{brief(toMs(entry.at), last.from)}</time>
              <span class="entry">
                {href ? <a href={href}>{title}</a> : title}
                {detail && (
                  <span class="detail">
                    {" "}
                    <Ids of={detail} />
                  </span>
                )}
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
      {moreLine(last) && (
        <p class="note">
          {moreLine(last)}: see <a href="#/log?kind=journal">the log</a>
        </p>
      )}
    </section>
  );
}
