import { worthShowing } from "../../../src/story/entries.ts";
import { useApp } from "../../components/context.ts";
import { Ids } from "../../components/ids.tsx";
import { Empty, Section } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { useReading } from "../../components/use-reading.ts";
import { describeEntry } from "../../models/describe.ts";

const SHOWN = 10;

/** What just happened, newest first. */
export function Latest() {
  const { api, journal } = useApp();
  // What happened before the page was opened.
  useReading(async () => journal.prepend((await api.events({ order: "desc", limit: 60 })).reverse()));
  const entries = worthShowing(journal.entries.value).slice(-SHOWN).reverse();
  return (
    <Section title="What just happened" actions={<a href="#/activity/journal">The journal</a>}>
      {entries.length === 0 ? (
        <Empty title="Nothing yet.">
          <p>Make a payment, and each step of it is listed here.</p>
        </Empty>
      ) : (
        <ol class="rows latest">
          {entries.map((entry) => {
            const { title, detail, tone, href } = describeEntry(entry);
            return (
              <li key={entry.seq} class={`row ${tone}`}>
                <Time at={entry.at} />
                <span class="row-main">
                  {href ? <a href={href}>{title}</a> : title}
                  {detail && (
                    <span class="note clamp">
                      {" "}
                      <Ids of={detail} />
                    </span>
                  )}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Section>
  );
}
