import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp, useModel } from "../../components/context.ts";
import { Button, Empty, Loading, Problem, Section, Text } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { createFilters } from "../../models/filters.ts";
import { number } from "../../models/format.ts";
import { actionWords, conditionWords } from "../../models/game/rules.ts";
import type { Rule } from "../../models/game/types.ts";
import { ofTypes, refreshOn } from "../../models/refresh.ts";
import { useGame } from "./context.ts";
import { gameNamed } from "./parts.tsx";
import { RuleLog } from "./rule-log.tsx";
import { TriggerForm } from "./trigger.tsx";

/** The rules, what became of each, and a way to trigger them. */
export function Rules() {
  const { live, router } = useApp();
  const { api } = useGame();
  const rules = useSignal<Rule[] | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const draft = useModel(
    () => ({
      ...createFilters(router, ["game", "rules"], ["player", "game", "trigger", "value", "nonce"]),
      close: () => undefined,
    }),
    [],
  );
  const read = async () => {
    try {
      rules.value = await api.rules();
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  };
  useEffect(() => {
    void read();
    return refreshOn(live, ofTypes("rule.*"), read);
  }, []);

  const tryOut = ({ when, game }: Rule) => {
    draft.set({ trigger: when, nonce: "", ...(game === null ? {} : { game }) });
    form.current?.querySelector<HTMLInputElement>("input[type=number]")?.focus();
  };
  const list = rules.value;
  return (
    <div class="rules">
      <Section title="Rules" note="What the rules engine does when a game triggers it.">
        {error.value ? (
          <Problem error={error.value} retry={() => void read()} />
        ) : !list ? (
          <Loading />
        ) : list.length === 0 ? (
          <Empty title="This sandbox has no rules.">
            <p>
              They are set in <code>sandbox.config.ts</code>, under <code>game.rules</code>; without any set
              there are four to play with.
            </p>
          </Empty>
        ) : (
          <ul class="rows">
            {list.map((rule) => (
              <RuleRow key={rule.name} rule={rule} onTry={() => tryOut(rule)} />
            ))}
          </ul>
        )}
      </Section>
      <div class="stack game-parts">
        <TriggerForm form={form} draft={draft} rules={list ?? []} />
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
        <h3>
          <Text of={name} lines={2} />
        </h3>
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
          <li key={index}>
            <Text of={actionWords(action)} />
          </li>
        ))}
      </ul>
      <div class="rule-foot">
        <p class="note">
          <Last rule={rule} />
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

function Last({ rule }: { rule: Rule }) {
  if (rule.last_fired_at === null) return <>Has not fired yet.</>;
  return (
    <>
      Fired last <Time at={rule.last_fired_at} />.
    </>
  );
}
