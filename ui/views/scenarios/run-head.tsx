import { failureKind } from "../../../src/timeline/scenario.ts";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Button, ButtonLink, Text } from "../../components/parts.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { count, roughly } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import type { Run } from "../../models/scenarios/api.ts";
import { type Course, elapsedText, isUnderWay, progressLine } from "../../models/scenarios/course.ts";
import { formHref } from "../../models/scenarios/params.ts";
import type { Replay } from "../../models/scenarios/replay.ts";
import type { FollowedRun } from "../../models/scenarios/run.ts";
import { rootOf, worldBase } from "../../models/snapshots/api.ts";
import { useScenarios, useStart } from "./context.ts";
import { ParamList, StateMark } from "./runs.tsx";

interface RunHeadProps {
  run: Run;
  course: Course;
  /** What is shown of it: less, while it is replayed. */
  shown: Course;
  model: FollowedRun;
  replay: Replay;
}

/** What was run, how it stands, and what can be done about it. */
export function RunHead({ run, course, shown, model, replay }: RunHeadProps) {
  const subscriber = run.report?.subscriber ?? null;
  return (
    <header class="view-head run-head">
      <div>
        <p class="note">
          <a href="#/scenarios">Scenarios</a> / <a href={href(["scenarios", run.scenario])}>{run.scenario}</a>{" "}
          / {run.id}
        </p>
        <Text as="h1" of={run.title} lines={3} />
        <ParamList of={subscriber === null ? run.params : { ...run.params, subscriber }} />
      </div>
      <Actions run={run} course={course} model={model} replay={replay} subscriber={subscriber} />
      <Verdict run={run} course={shown} word={replay.step.value === undefined ? shown.state : "replay"} />
    </header>
  );
}

/** How it stands, large: what a room looks at. */
function Verdict({ run, course, word }: { run: Run; course: Course; word: string }) {
  const { state, steps, wallMs } = course;
  const done = steps.filter((step) => step.state === "passed").length;
  const sum = steps.reduce((before, step) => before + step.expectations, 0);
  const expectations = isUnderWay(state) ? sum : (run.report?.expectations ?? sum);
  return (
    <div class="frame flow verdict" data-state={state}>
      <p class="verdict-state">
        <StateMark of={state} />
        <span>{word}</span>
      </p>
      {state === "failed" && course.failure && (
        <button type="button" class="link verdict-why" onClick={toFailure}>
          {failureKind(course.failure.code)}
        </button>
      )}
      <p class="vh" role="status">
        {progressLine(course)}
      </p>
      <ul class="counts">
        <li>
          <b class="sand-time">{elapsedText(course.startedAt, course.now)}</b>
          of virtual time
        </li>
        <li>
          <b>{done}</b>
          {done === 1 ? "step" : "steps"} passed
        </li>
        <li>
          <b>{expectations}</b>
          {count(expectations, "expectation").replace(/^\S+ /, "")}
        </li>
        {(wallMs !== undefined || isUnderWay(run.status)) && (
          <li>
            <b>{wallMs === undefined ? "…" : roughly(wallMs)}</b>
            of real time
          </li>
        )}
      </ul>
    </div>
  );
}

/** It may be far below. */
function toFailure(): void {
  const note = document.querySelector<HTMLElement>(".run-failure");
  note?.scrollIntoView({ block: "center" });
  note?.focus({ preventScroll: true });
}

type ActionsProps = Omit<RunHeadProps, "shown"> & { subscriber: string | null };

function Actions({ run, course, model, replay, subscriber }: ActionsProps) {
  const { api: control, router, toasts } = useApp();
  const { api, scenarios } = useScenarios();
  const start = useStart();
  const removing = useDialog();
  const base = control.transport.base;
  const form = formHref(run.scenario, run.params, subscriber);
  const again = scenarios.again(run, subscriber);
  const gone = model.removed.value;
  const stop = async () => {
    model.forget();
    await toasts.attempt(() => scenarios.remove(run.id));
  };
  const remove = async () => {
    await stop();
    removing.close();
    router.go(href(["scenarios", run.scenario]));
    toasts.done(`${run.id} is removed, and its world has ended.`);
  };
  return (
    <div class="actions run-actions">
      {isUnderWay(course.state) ? (
        <Button key="stop" look="danger" onSend={stop} disabled={gone}>
          Stop
        </Button>
      ) : again ? (
        <Button key="again" look="main" icon="play" onSend={() => start(run.scenario, again)}>
          Run again
        </Button>
      ) : (
        // The subscriber's secret is not known here.
        <ButtonLink look="main" to={form}>
          Run again…
        </ButtonLink>
      )}
      {!isUnderWay(course.state) && course.steps.length > 0 && (
        <Button class="replay-start" onClick={replay.start}>
          Replay
        </Button>
      )}
      {!gone && (
        <ButtonLink to={`${worldBase(rootOf(base), run.world)}#/webhooks`}>Open its world</ButtonLink>
      )}
      {!gone && run.report && (
        <ButtonLink out to={api.reportHref(run.id)}>
          Report<span class="vh"> in a new tab</span>
        </ButtonLink>
      )}
      {!isUnderWay(course.state) && <a href={form}>Edit and run…</a>}
      {!gone && !isUnderWay(course.state) && (
        <Button look="quiet" onClick={() => removing.open(true)}>
          Remove…
        </Button>
      )}
      {gone && <p class="note">The run was stopped, and its world has ended.</p>}
      {removing.target.value && (
        <DialogForm
          title={`Remove ${run.id}`}
          action="Remove"
          look="danger"
          onSend={remove}
          onClose={removing.close}
        >
          <p>
            This deletes its report and ends its world <b>{run.world}</b>. Run the scenario again to get the
            same.
          </p>
        </DialogForm>
      )}
    </div>
  );
}
