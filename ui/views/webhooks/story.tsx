import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isStory, storyText, storyTitle } from "../../../src/timeline/story.ts";
import type { Arrival, JournalEntry, StoryOutline, Webhook } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Loaded, Problem } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import { brief, roughly, toMs } from "../../models/format.ts";
import { replayTimeline } from "../../models/replay.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { ARRIVAL_WORDS, ghostsOf, playStory } from "../../models/webhooks/story.ts";

interface PlayAStoryProps {
  webhook: Webhook;
  model: TimelineModel;
}

/** A form that runs a story of the endpoint's sender, with a choice of how each event arrives. */
export function PlayAStory({ webhook, model }: PlayAStoryProps) {
  const { api } = useApp();
  const chosen = useSignal("");
  const stories = useReading(() => api.stories(webhook.id), [webhook.id]);
  return (
    <section class="stack story" aria-label="Play a story">
      <h3>Play a story</h3>
      <Loaded of={stories}>
        {(all) => (
          <Select
            label="Story"
            of={chosen}
            options={[["", "Choose one"], ...all.map(({ name }) => [name, name] as const)]}
          />
        )}
      </Loaded>
      {chosen.value && <Outline key={chosen.value} story={chosen.value} webhook={webhook} model={model} />}
    </section>
  );
}

function Outline({ story, webhook, model }: PlayAStoryProps & { story: string }) {
  const { api } = useApp();
  const outline = useReading(() => api.storyOutline(webhook.id, story), [story]);
  return (
    <Loaded of={outline}>{(read) => <Arrivals outline={read} webhook={webhook} model={model} />}</Loaded>
  );
}

function Arrivals({ outline, webhook, model }: PlayAStoryProps & { outline: StoryOutline }) {
  const { api, clock, ledger } = useApp();
  const { story, events } = outline;
  const arrivals = useSignal<Arrival[]>(events.map(() => "arrives"));
  useEffect(() => {
    model.ghosts.value = ghostsOf(outline, clock.exact());
    return () => {
      model.ghosts.value = [];
    };
  }, [outline]);
  const { error, send } = useSubmit(async () => {
    model.ghosts.value = [];
    // In a narrow window the timeline is above the form, so scroll it into view.
    document.querySelector(".timeline")?.scrollIntoView({ block: "nearest" });
    await playStory(api, ledger, webhook.id, { story, arrivals: arrivals.value });
  });
  if (events.length === 0) return <p class="note">This endpoint receives no events from this story.</p>;
  return (
    <Form class="stack" aria-label={`Story ${story}`} onSend={send}>
      <p class="note">
        It is sent to your server as it is, on this world's clock; nothing of the server is copied or
        restored.
      </p>
      <ol class="story-events">
        {events.map(({ event, after_ms: after, can }, index) => (
          // Use indexes as keys, because a type may occur more than once.
          <li key={index}>
            <Select
              label={`${event}${after > 0 ? `, after ${roughly(after)}` : ""}`}
              of={bind(arrivals.value[index]!, (next) => {
                arrivals.value = arrivals.value.with(index, next);
              })}
              options={can.map((one) => [one, ARRIVAL_WORDS[one]])}
            />
          </li>
        ))}
      </ol>
      {error.value && <Problem error={error.value} />}
      <div class="actions">
        <Button look="main" type="submit">
          Play
        </Button>
      </div>
    </Form>
  );
}

const isRefusal = (code: number | null): boolean => code !== null && (code < 200 || code > 299);

interface StoryCardProps {
  entry: JournalEntry;
  webhook: Webhook;
  model: TimelineModel;
  onDismiss: () => void;
  /** Additional buttons for the card. */
  children: ComponentChildren;
}

/** A story that was run: each request up to the line, with the handler's response. */
export function StoryCard({ entry, webhook: { id }, model, onDismiss, children }: StoryCardProps) {
  const { api, clock, machine, router, toasts } = useApp();
  const { data } = entry;
  const isDrawn = model.timeline.value !== undefined && model.view.width.value > 0;
  useEffect(() => {
    // Replay a finding step by step immediately after it has been run.
    if (!isDrawn || !isStory(data) || !router.route.peek().query.has("replay")) return;
    return replayTimeline(machine, model, toMs(data.from));
  }, [isDrawn]);
  if (!isStory(data)) return null;
  const { story, finding, schedule, steps } = data;
  const until = model.until.value ?? Number.POSITIVE_INFINITY;
  const isRefused = steps.some(({ response_code: code }) => isRefusal(code));
  const save = async () => {
    const saved = await toasts.attempt(() => api.saveFinding({ webhook_id: id, story, schedule }));
    if (saved) toasts.done(`Saved as ${saved.file}. Play it again: npx sandglass run ${saved.name}`);
  };
  return (
    <section class={`flow disabling ${isRefused ? "bad" : "plain"}`} role="status" aria-label="Played story">
      <div>
        <h2>{storyTitle(data)}</h2>
        <p>
          {storyText(data)}
          {finding &&
            " Played in this fork against your server as it is: it was neither copied nor restored, so it remembers earlier plays."}
          {steps.some(({ statement }) => statement) && " The statements come from the saved finding."}
        </p>
        <ol class="story-steps">
          {steps
            .filter(({ at }) => toMs(at) <= until)
            .map(({ delivery_id: delivery, event, at, differs, words, statement, response_code, answer }) => (
              <li key={delivery} class={isRefusal(response_code) ? "bad" : undefined}>
                <time class="note">{brief(toMs(at), clock.exact())}</time>{" "}
                <a href={router.inEndpoint(id, delivery)}>{event}</a> {words}
                {differs && <code> {differs}</code>}
                {statement && (
                  <span class="note">
                    , at <code>{statement}</code>
                  </span>
                )}
                {answer && response_code !== 200 && (
                  <span class="note">
                    {" "}
                    <q>{answer}</q>
                  </span>
                )}
              </li>
            ))}
        </ol>
      </div>
      <div class="actions">
        {!finding && schedule.length > 0 && schedule.length < 10 && (
          <Button onSend={save}>Save as a finding</Button>
        )}
        {children}
        <Button look="quiet" icon="cross" aria-label="Dismiss" onClick={onDismiss} />
      </div>
    </section>
  );
}
