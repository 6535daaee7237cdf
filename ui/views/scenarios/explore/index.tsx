import { useModel } from "../../../components/context.ts";
import { Choice, Field, Select } from "../../../components/field.tsx";
import { Form } from "../../../components/form.tsx";
import { Button, Problem, Section, Submit, ViewHead } from "../../../components/parts.tsx";
import { useSubmit } from "../../../components/sending.ts";
import { part } from "../../../models/binding.ts";
import { besideSubscriber, Explore, progressWords } from "../../../models/scenarios/explore.ts";
import { useScenarios } from "../context.ts";
import { Result } from "./result.tsx";
import "./explore.css";

/** Looks for the delivery schedule that breaks a subscriber. */
export function ExplorePage() {
  const { api } = useScenarios();
  const explore = useModel(() => new Explore(api), [api]);
  const { current, error } = explore;
  const found = current.value;
  return (
    <div class="view">
      <ViewHead
        path={
          <>
            <a href="#/scenarios">Scenarios</a> / Explore
          </>
        }
        note="Plays a short story against your server in every way that the platform can deliver its webhooks, and shows the shortest one that ends in another state."
        title="Explore your handler"
      />
      <div class="split explore-columns">
        <ExploreForm explore={explore} />
        <div class="stack explore-result">
          {error.value && <Problem error={error.value} />}
          {found?.status === "running" && (
            <Section title="Under way" actions={<Button onSend={explore.cancel}>Cancel</Button>}>
              <p role="status" class="explore-count">
                {progressWords(found)}
              </p>
              <progress max={found.progress?.schedules ?? 1} value={found.progress?.tried ?? 0} />
            </Section>
          )}
          {found?.error && <Problem error={Object.assign(new Error(found.error.message), found.error)} />}
          {found?.result && <Result exploration={found} result={found.result} />}
        </div>
      </div>
    </div>
  );
}

const DEVIATIONS = [
  ["1", "1 deviation"],
  ["2", "up to 2"],
  ["3", "up to 3"],
] as const;

function ExploreForm({ explore }: { explore: Explore }) {
  const { draft } = explore;
  const { error, send } = useSubmit(explore.start);
  const stories = explore.stories.value.value ?? [];
  const { subscriber } = draft.value;
  return (
    <Form class="card stack" noValidate aria-label="Explore" onSend={send}>
      {stories.length > 0 && (
        <Select
          label="Story"
          of={part(draft, "story")}
          options={[["", "All of them"], ...stories.map(({ name, title }) => [name, title] as const)]}
        />
      )}
      <Field
        label="Your subscriber"
        of={part(draft, "subscriber")}
        placeholder="http://127.0.0.1:3000/webhooks"
        hint="Where your server receives webhooks."
      />
      <Field
        label="Its signing secret"
        of={part(draft, "secret")}
        hint="Your server verifies signatures with it."
      />
      <Field
        label="Its state"
        of={part(draft, "state")}
        placeholder={besideSubscriber(subscriber, "/state") || "http://127.0.0.1:3000/state"}
        hint="Returns what your server stored, as JSON."
      />
      <Field
        label="Its reset"
        of={part(draft, "reset")}
        placeholder={besideSubscriber(subscriber, "/reset") || "http://127.0.0.1:3000/reset"}
        hint="Sandglass sends a POST here before each schedule; it must empty the state."
      />
      <Field
        label="Not compared"
        of={part(draft, "ignore")}
        placeholder="orders.*.updated_at"
        hint="Paths in the state that differ in every run, comma-separated."
      />
      <Choice label="Deviations" of={part(draft, "deviations")} options={DEVIATIONS} />
      {error.value && <Problem error={error.value} />}
      <div class="actions">
        <Submit icon="play">Explore</Submit>
      </div>
    </Form>
  );
}
