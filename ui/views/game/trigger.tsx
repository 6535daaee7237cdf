import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Problem, Section, Submit } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import type { Filters } from "../../models/filters.ts";
import { outcomeWords, readTrigger, type TriggerDraft } from "../../models/game/rules.ts";
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
  const unknown = useSignal(false);
  const outcome = useSignal("");
  /** A name that was taken out stays out. */
  const touched = useSignal(false);
  const players = model.players.value;
  const values = { ...draft.values.value } as unknown as TriggerDraft;
  if (!touched.value) values.player ||= players[0]?.username ?? "";
  values.game = gameNamed(games, values.game).slug;

  const player = bind(values.player, (name) => {
    touched.value = true;
    draft.set({ player: name });
  });
  const game = bind(values.game, (slug) => draft.set({ game: slug }));
  const { error, send } = useSubmit(async () => {
    const read = readTrigger(values, players, games);
    unknown.value = read === undefined;
    outcome.value = "";
    if (!read) return;
    const access = await model.access(read.player, read.game);
    outcome.value = outcomeWords((await api.trigger(access, read.trigger)).actions);
  });

  return (
    <Section title="Trigger as a player" note="Uses the player's valid token, or mints one for an hour.">
      <Form
        element={form}
        class="card fit behaviour trigger"
        aria-label="Trigger the rules engine"
        onSend={send}
      >
        <Field
          label="Player"
          of={player}
          error={unknown.value ? "No player has this name, address or id." : undefined}
          required
          list={players.slice(0, 200).map(({ username }) => username)}
        />
        <Select label="Game" of={game} options={games.map(({ slug, name }) => [slug, name] as const)} />
        <Field
          label="Trigger"
          of={draft.field("trigger")}
          required
          list={[...new Set(rules.map(({ when }) => when))]}
          placeholder={rules[0]?.when ?? ""}
        />
        <Field label="Value" type="number" of={draft.field("value")} placeholder="none" />
        <Field
          label="Nonce"
          of={draft.field("nonce")}
          placeholder="a new one each time"
          hint="A request with the same nonce runs only once."
        />
        <div class="actions trigger-do">
          <Submit>Trigger</Submit>
          <p role="status">{outcome.value}</p>
        </div>
        {error.value && <Problem error={error.value} />}
      </Form>
    </Section>
  );
}
