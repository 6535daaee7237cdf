import { useComputed } from "@preact/signals";
import { useModel } from "../../components/context.ts";
import { Empty, Loading, Problem, Section } from "../../components/parts.tsx";
import { useReading } from "../../components/use-reading.ts";
import { earlierRun } from "../../models/scenarios/ahead.ts";
import { failedStep, isUnderWay } from "../../models/scenarios/course.ts";
import { FollowedRun } from "../../models/scenarios/run.ts";
import { useScenarios } from "./context.ts";
import { FailureNote } from "./failure.tsx";
import { Log } from "./log.tsx";
import { Outcome } from "./outcome.tsx";
import { RunHead } from "./run-head.tsx";
import { Steps } from "./steps.tsx";

/** A run: its steps as they come, and what came of it. */
export function RunPage({ id }: { id: string }) {
  const { api, scenarios } = useScenarios();
  const model = useModel(() => new FollowedRun(api, id, () => void scenarios.runs.read()), [id]);
  const titles = useEarlierTitles(model.run);
  const run = model.run.value;
  const course = model.course.value;
  if (model.error.value && !isKept(model))
    return (
      <div class="view">
        {"status" in model.error.value && model.error.value.status === 404 ? (
          <Empty title="There is no such run any more.">
            <p>{(model.error.value as Error & { hint?: string }).hint}</p>
            <a href="#/scenarios">To the scenarios</a>
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
      <RunHead run={run} course={course} model={model} />
      {model.lost.value && isUnderWay(course.state) && (
        <p class="problem" role="status">
          The connection is lost. The run goes on, and so does this page as soon as it is back.
        </p>
      )}
      <Steps run={run} course={course} titles={titles} />
      {outside && course.failure && <FailureNote failure={course.failure} />}
      {course.log.latest.length > 0 && (
        <Section title="Log" note="Lines logged outside of steps.">
          <Log label="Log outside of steps" of={course.log} since={course.startedAt} />
        </Section>
      )}
      {run.report && <Outcome run={run} report={run.report} gone={model.removed.value} />}
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
