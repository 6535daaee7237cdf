import type { JournalEntry } from "../../api-types.ts";
import { useApp, useModel } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Button, ButtonLink, Empty, Facts, Problem, Text, Time } from "../../components/parts.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { JournalView, KINDS } from "../../models/activity/journal-view.ts";
import { describeEntry } from "../../models/describe.ts";
import { href } from "../../models/router.ts";
import { StreamBar } from "./bar.tsx";

const ROW = 2.25;

/** Everything that happened, newest first. */
export function JournalTab({ seq }: { seq: number }) {
  const { api, live, journal } = useApp();
  const view = useModel(() => new JournalView(api, live, journal), []);
  const entries = view.shown.value;
  const open = journal.entries.value.find((entry) => entry.seq === seq);
  return (
    <div class="stack">
      <StreamBar
        choice={view.kind}
        choices={KINDS.map(([name]) => name)}
        label="Kinds of entries"
        stream={view}
      />
      {view.error.value && <Problem error={view.error.value} retry={() => void view.older()} />}
      <div class={open ? "split" : undefined}>
        <div class="stack">
          {entries.length === 0 ? (
            <Empty
              title={view.search.value || view.kind.value ? "No entry matches." : "Nothing happened yet."}
            >
              Make a payment, or call the API; everything that happens is listed here.
            </Empty>
          ) : (
            <VirtualList
              label="Journal, newest first"
              items={entries}
              keyOf={({ seq: key }) => key}
              row={ROW}
              rows={18}
              render={(entry) => <Row entry={entry} current={entry.seq === seq} />}
            />
          )}
          {view.hasOlder.value && entries.length > 0 && (
            <Button onSend={view.older}>Read older entries</Button>
          )}
        </div>
        {open && <EntryDetail entry={open} />}
      </div>
    </div>
  );
}

function Row({ entry, current }: { entry: JournalEntry; current: boolean }) {
  const { title, detail, tone } = describeEntry(entry);
  return (
    <a
      class={`pick entry-row ${tone}`}
      href={href(["activity", "journal", String(entry.seq)])}
      aria-current={current || undefined}
    >
      <Time at={entry.at} />
      <i class={`dot ${tone}`} aria-hidden="true" />
      <span class="ellipsis">
        {title} <span class="note">{detail}</span>
      </span>
      <span class="note entry-type ellipsis">{entry.type}</span>
    </a>
  );
}

function EntryDetail({ entry }: { entry: JournalEntry }) {
  const { title, href: target } = describeEntry(entry);
  return (
    <article class="sheet" aria-label="Entry">
      <header>
        <div>
          <Text as="h2" of={title} lines={3} />
          <p class="note">
            <Text of={entry.type} lines={1} /> entry {entry.seq}
          </p>
        </div>
        {target && <ButtonLink to={target}>Open</ButtonLink>}
      </header>
      <Facts
        of={[
          ["Virtual time", <Time key="at" at={entry.at} exact />],
          ["Real time", new Date(entry.wall).toISOString().replace("T", " ").slice(0, 23)],
        ]}
      />
      <CodeBlock text={JSON.stringify(entry.data, null, 2)} what="the data" label="Data" />
    </article>
  );
}
