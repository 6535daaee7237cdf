import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem, Section } from "../../components/parts.tsx";
import type { Filters } from "../../models/filters.ts";
import {
  outcomeWords,
  readTrigger,
  type TriggerDraft,
  type TriggerProblem,
} from "../../models/game/trigger.ts";
import type { Rule } from "../../models/game/types.ts";
import { useGame } from "./context.ts";
import { gameNamed } from "./parts.tsx";

interface TriggerFormProps {
  form: RefObject<HTMLFormElement | null>;
  /** The form is kept in the address, so that a trigger is a link. */
  draft: Filters;
  rules: Rule[];
}

/** Triggers the rules engine as a player, as a game of theirs would. */
export function TriggerForm({ form, draft, rules }: TriggerFormProps) {
  const { api, model, games } = useGame();
  const problem = useSignal<TriggerProblem>({});
  const error = useSignal<Error | undefined>(undefined);
  const outcome = useSignal("");
  /** A name that was taken out stays out. */
  const touched = useSignal(false);
  const players = model.players.value;
  const values = { ...draft.values.value } as unknown as TriggerDraft;
  if (!touched.value) values.player ||= players[0]?.username ?? "";
  values.game = gameNamed(games, values.game).slug;

  const change = (part: Partial<TriggerDraft>) => draft.set(part);
  const trigger = async () => {
    const read = readTrigger(values, players, games);
    problem.value = "problem" in read ? read.problem : {};
    outcome.value = "";
    error.value = undefined;
    if ("problem" in read) return;
    try {
      const access = await model.access(read.player, read.game);
      outcome.value = outcomeWords((await api.trigger(access, read.trigger)).actions);
    } catch (reason) {
      error.value = reason as Error;
    }
  };

  return (
    <Section
      title="Trigger as a player"
      note="With a token that holds; without one, one is minted for an hour."
    >
      <Form element={form} class="card trigger" aria-label="Trigger the rules engine" onSend={trigger}>
        <Field
          label="Player"
          value={values.player}
          error={problem.value.player}
          list={players.slice(0, 200).map(({ username }) => username)}
          onInput={(player) => {
            touched.value = true;
            change({ player });
          }}
        />
        <Select
          label="Game"
          value={values.game}
          options={games.map(({ slug, name }) => [slug, name] as const)}
          onChange={(game) => change({ game })}
        />
        <Field
          label="Trigger"
          value={values.trigger}
          error={problem.value.trigger}
          list={[...new Set(rules.map(({ when }) => when))]}
          placeholder={rules[0]?.when ?? ""}
          onInput={(text) => change({ trigger: text })}
        />
        <Field
          label="Value"
          type="number"
          value={values.value}
          error={problem.value.value}
          placeholder="none"
          onInput={(value) => change({ value })}
        />
        <Field
          label="Nonce"
          value={values.nonce}
          placeholder="a new one each time"
          hint="With the same nonce it runs once."
          onInput={(nonce) => change({ nonce })}
        />
        <div class="actions trigger-do">
          <Button look="main" type="submit">
            Trigger
          </Button>
          <p role="status">{outcome.value}</p>
        </div>
        {error.value && <Problem error={error.value} />}
      </Form>
    </Section>
  );
}
