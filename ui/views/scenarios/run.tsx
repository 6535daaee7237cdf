import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp, useKeys, useModel, useReading } from "../../components/context.ts";
import { Button, Empty, Loading, Problem, Section } from "../../components/parts.tsx";
import { earlierRun, failedStep, isUnderWay } from "../../models/scenarios/course.ts";
import { Replay } from "../../models/scenarios/replay.ts";
import { FollowedRun } from "../../models/scenarios/run.ts";
import { useScenarios } from "./context.ts";
import { Log } from "./ledger.tsx";
import { Outcome } from "./outcome.tsx";
import { FailureNote } from "./problems.tsx";
import { RunHead } from "./run-head.tsx";
import { Source } from "./source.tsx";
import { Steps } from "./steps.tsx";

/** A run: its steps as they come, and what came of it. */
export function RunPage({ id }: { id: string }) {
  const { api, scenarios } = useScenarios();
  const model = useModel(() => new FollowedRun(api, id, () => void scenarios.runs.read()), [id]);
  const titles = useEarlierTitles(model.run);
  const { machine } = useApp();
  const replay = useModel(() => new Replay(model.course, machine.moves), [model]);
  const looked = useSignal<number | undefined>(undefined);
  const run = model.run.value;
  const course = model.course.value;
  const shown = replay.shown.value;
  const replaying = replay.step.value !== undefined;
  if (model.error.value && !isKept(model))
    return (
      <div class="view">
        {"status" in model.error.value && model.error.value.status === 404 ? (
          <Empty title="This run no longer exists." actions={<a href="#/scenarios">All scenarios</a>}>
            {(model.error.value as Error & { hint?: string }).hint}
          </Empty>
        ) : (
          <Problem error={model.error.value} retry={() => void model.read()} />
        )}
      </div>
    );
  if (!run) return <Loading />;
  // What happened outside of steps has no place among them.
  const outside = course.state === "failed" && !failedStep(course);
  return (
    <div class="view">
      <RunHead run={run} course={course} shown={shown} model={model} replay={replay} />
      {model.lost.value && isUnderWay(course.state) && (
        <p class="problem" role="status">
          The connection is lost. The run continues, and this page catches up when the connection is back.
        </p>
      )}
      {replaying && <ReplayBar of={replay} steps={course.steps.length} />}
      <div class={run.source === null ? undefined : "split run-stage"}>
        <Steps
          run={run}
          course={shown}
          titles={replaying ? course.steps.map(({ title }) => title) : titles}
          replaying={replaying}
          onLook={(step) => (looked.value = step)}
        />
        {run.source !== null && (
          <Source
            text={run.source}
            file={run.file}
            course={shown}
            looked={replay.playing.value ? undefined : looked.value}
          />
        )}
      </div>
      {outside && !replaying && course.failure && <FailureNote failure={course.failure} />}
      {shown.log.latest.length > 0 && (
        <Section title="Log" note="Lines logged outside of steps.">
          <Log label="Log outside of steps" of={shown.log} since={course.startedAt} />
        </Section>
      )}
      {run.report && !replaying && <Outcome run={run} report={run.report} gone={model.removed.value} />}
    </div>
  );
}

/** What was shown of a run stays, though the server knows it no more. */
const isKept = ({ run, removed }: FollowedRun) =>
  removed.value || (run.value !== undefined && !isUnderWay(run.value.status));

/** The titles of an earlier run's steps, by which the steps to come are known. */
function useEarlierTitles(current: FollowedRun["run"]): string[] {
  const { api, scenarios } = useScenarios();
  const earlier = useComputed(() => {
    const runs = scenarios.runs.value.value;
    const run = current.value;
    return runs && run && run.status !== "passed" ? earlierRun(runs, run)?.id : undefined;
  });
  const of = earlier.value;
  const titles = useReading(
    async () => (of === undefined ? [] : ((await api.run(of)).report?.steps ?? []).map(({ title }) => title)),
    [of],
  );
  return titles.value.value ?? [];
}

/** What a replay is led with, for as long as it lasts. Its keys take the place of the clock's. */
function ReplayBar({ of: replay, steps }: { of: Replay; steps: number }) {
  const bar = useRef<HTMLDivElement>(null);
  const step = replay.step.value!;
  const playing = replay.playing.value;
  useKeys(() => {
    const { start, toggle, next, previous, end } = replay;
    return { Space: toggle, ArrowRight: next, ArrowLeft: previous, Home: start, End: end, Escape: end };
  }, [replay]);
  useEffect(() => {
    bar.current!.scrollIntoView();
    bar.current!.querySelector<HTMLElement>(".main")!.focus({ preventScroll: true });
    return () => document.querySelector<HTMLElement>(".replay-start")?.focus({ preventScroll: true });
  }, [replay]);
  useEffect(() => {
    const list = bar.current!.closest(".view")!.querySelector(".run-steps");
    list?.children[step]?.scrollIntoView({ block: "nearest" });
  }, [step, replay.shown.value]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div ref={bar} class="frame actions replay" role="group" aria-label="Replay">
      <Button
        look="quiet"
        icon="left"
        aria-label="Previous step"
        disabled={step === 0}
        onClick={replay.previous}
      />
      <Button look="main" icon={playing ? "pause" : "play"} onClick={replay.toggle}>
        {playing ? "Pause" : "Play"}
      </Button>
      <Button look="quiet" icon="right" aria-label="Next step" onClick={replay.next} />
      <p class="replay-place">
        Step <b>{step + 1}</b> of {steps}
      </p>
      <progress max={steps} value={step + 1} aria-hidden="true" />
      <Button look="quiet" icon="cross" aria-label="End the replay" onClick={replay.end} />
    </div>
  );
}
