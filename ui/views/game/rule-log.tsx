import type { JournalEntry } from "../../api-types.ts";
import { useApp, useModel } from "../../components/context.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Empty, Section, Text } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { describeRuleEntry } from "../../models/game/rule-entries.ts";
import { RuleLogModel } from "../../models/game/rule-log.ts";
import { useGame } from "./context.ts";

const ROW = 3.25;

/** What fired, what did not and why, as it happens. */
export function RuleLog() {
  const { live } = useApp();
  const { api } = useGame();
  const log = useModel(() => new RuleLogModel(api, live), [api]);
  return (
    <Section title="What happened" note="Newest first. Each payment links to its story.">
      <Loaded of={{ ...log, value: log.entries }}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="No rule was triggered yet.">
              <p>
                Trigger one above, or call trigger-rules-engine; and see here which rules fired and why others
                did not.
              </p>
            </Empty>
          ) : (
            <VirtualList
              label="What the rules did, newest first"
              items={entries}
              keyOf={({ seq }) => seq}
              row={ROW}
              rows={8}
              render={(entry) => <Row entry={entry} />}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function Row({ entry }: { entry: JournalEntry }) {
  const { tone, title, detail, href, isPayment } = describeRuleEntry(entry);
  return (
    <a class="pick rule-entry" href={href}>
      <Time at={entry.at} />
      <i class={`dot ${tone}`} aria-hidden="true" />
      <span class="rule-entry-words">
        <span class="ellipsis">
          <Text of={title} />
        </span>
        <span class="note ellipsis">
          <Text of={detail} />
        </span>
      </span>
      <span class="note rule-entry-to">{isPayment ? "payment" : "entry"}</span>
    </a>
  );
}
