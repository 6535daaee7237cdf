import { useMemo, useRef } from "preact/hooks";
import type { JournalEntry } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Button, Empty, Loaded, Section, Text, Time } from "../../components/parts.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { createFilters } from "../../models/filters.ts";
import { number } from "../../models/format.ts";
import { describeRuleEntry } from "../../models/game/rule-log.ts";
import { actionWords, conditionWords } from "../../models/game/rules.ts";
import type { Rule } from "../../models/game/types.ts";
import { ofTypes } from "../../models/refresh.ts";
import { useGame } from "./context.ts";
import { gameNamed } from "./parts.tsx";
import { TriggerForm } from "./trigger.tsx";

/** The rules, what became of each, and a way to trigger them. */
export function Rules() {
  const { router } = useApp();
  const { api } = useGame();
  const rules = useLiveReading(ofTypes("rule.*"), api.rules);
  const form = useRef<HTMLFormElement>(null);
  const draft = useMemo(
    () => createFilters(router, ["game", "rules"], ["player", "game", "trigger", "value", "nonce"]),
    [],
  );

  const tryOut = ({ when, game }: Rule) => {
    draft.set({ trigger: when, nonce: "", ...(game === null ? {} : { game }) });
    form.current?.querySelector<HTMLInputElement>("input[type=number]")?.focus();
  };
  return (
    <div class="split">
      <Section title="Rules" note="What the rules engine does when a game triggers it.">
        <Loaded of={rules}>
          {(list) =>
            list.length === 0 ? (
              <Empty title="This sandbox has no rules.">
                They are set in <code>sandbox.config.ts</code>, under <code>game.rules</code>; without any,
                four examples apply.
              </Empty>
            ) : (
              <ul class="rows">
                {list.map((rule) => (
                  <RuleRow key={rule.name} rule={rule} onTry={() => tryOut(rule)} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <div class="stack game-parts">
        <TriggerForm form={form} draft={draft} rules={rules.value.value ?? []} />
        <RuleLog />
      </div>
    </div>
  );
}

function RuleRow({ rule, onTry }: { rule: Rule; onTry: () => void }) {
  const { games } = useGame();
  const { name, when, game, then, fired, skipped } = rule;
  const condition = conditionWords(rule);
  return (
    <li class="rule">
      <div class="rule-head">
        <Text as="h3" of={name} lines={2} />
        <p class="rule-fired">
          fired <b>{number(fired)}</b> {fired === 1 ? "time" : "times"}
        </p>
      </div>
      <p>
        When <code>{when}</code>
        {condition && <>, {condition}</>}
        {game !== null && (
          <>
            , in <Text of={gameNamed(games, game).name} />
          </>
        )}
        :
      </p>
      <ul class="rule-actions">
        {then.map((action, index) => (
          <Text key={index} as="li" of={actionWords(action)} />
        ))}
      </ul>
      <div class="rule-foot">
        <p class="note">
          {rule.last_fired_at === null ? (
            "Has not fired yet."
          ) : (
            <>
              Fired last <Time at={rule.last_fired_at} />.
            </>
          )}
          {skipped > 0 && (
            <>
              <br />
              Did not fire {skipped === 1 ? "once" : `${number(skipped)} times`}, last{" "}
              <Time at={rule.last_skipped_at!} />: <Text of={rule.last_reason ?? ""} />.
            </>
          )}
        </p>
        <Button onClick={onTry}>
          Try it<span class="vh"> {name.slice(0, 80)}</span>
        </Button>
      </div>
    </li>
  );
}

const ROW = 3.25;
/** As many entries of the rules are read. */
const MOST_ENTRIES = 500;

/** What fired, what did not and why, as it happens. */
function RuleLog() {
  const { api } = useGame();
  const log = useLiveReading(ofTypes("rule.*"), () => api.ruleEntries(MOST_ENTRIES));
  return (
    <Section title="What happened" note="Newest first. Each payment links to its story.">
      <Loaded of={log}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="No rule was triggered yet.">
              Trigger one above, or call trigger-rules-engine; and see here which rules fired and why others
              did not.
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
        <Text as="span" class="ellipsis" of={title} />
        <Text as="span" class="note ellipsis" of={detail} />
      </span>
      <span class="note rule-entry-to">{isPayment ? "payment" : "entry"}</span>
    </a>
  );
}
