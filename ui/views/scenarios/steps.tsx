import { Text } from "../../components/parts.tsx";
import type { Failure, Run } from "../../models/scenarios/api.ts";
import {
  aheadWords,
  type Course,
  elapsedText,
  failedStep,
  isUnderWay,
  type Step,
  stepFacts,
  stepsAhead,
} from "../../models/scenarios/course.ts";
import { placeText } from "../../models/scenarios/source.ts";
import { Log, StepLedger } from "./ledger.tsx";
import { FailureNote } from "./problems.tsx";
import { type ShownState, StateMark } from "./runs.tsx";

interface StepsProps {
  run: Run;
  course: Course;
  /** The steps of an earlier run. */
  titles: string[];
  /** Whether the run is being replayed: the step that is shown has its entries unfolded. */
  replaying: boolean;
  /** Called with the step that is pointed at, focused or chosen, and with undefined once it no longer is. */
  onLook: (step: number | undefined) => void;
}

/** The steps of a run: those that were made, the one that is under way, and those to come as far as they are known. */
export function Steps({ run, course, titles, replaying, onLook }: StepsProps) {
  const { steps, state, startedAt } = course;
  const ahead = stepsAhead(course, titles);
  const broken = failedStep(course);
  return (
    <ol class="frame run-steps" aria-label="Steps" aria-busy={isUnderWay(course.state)}>
      {steps.map((step) => (
        <StepItem
          key={step.index}
          step={step}
          run={run}
          since={startedAt}
          failure={step === broken ? course.failure : null}
          open={step === broken || (replaying && step === steps.at(-1))}
          onLook={onLook}
        />
      ))}
      {steps.length === 0 && ahead.length === 0 && (
        <Line state="pending">{NOTHING_YET[state] ?? "It has no steps."}</Line>
      )}
      {ahead.map((title, place) => (
        <Line key={steps.length + place} state="pending" word={aheadWords(course)}>
          <Text of={title} lines={2} />
        </Line>
      ))}
    </ol>
  );
}

const NOTHING_YET: Partial<Record<Course["state"], string>> = {
  waiting: "Waiting for its turn: two runs play at a time.",
  running: "Starting.",
};

interface LineProps {
  state: ShownState;
  word?: string;
  children: preact.ComponentChildren;
}

function Line({ state, word, children }: LineProps) {
  return (
    <li class="run-step" data-state={state}>
      <StateMark of={state} />
      <div class="run-step-head">
        <h2>{children}</h2>
        {word && <span class="step-word">{word}</span>}
      </div>
    </li>
  );
}

interface StepItemProps extends Pick<StepsProps, "run" | "onLook"> {
  step: Step;
  since: number;
  failure: Failure | null;
  /** Whether what it caused is unfolded. */
  open: boolean;
}

function StepItem({ step, run, since, failure, open, onLook }: StepItemProps) {
  const { index, title, state, startedAt, position } = step;
  return (
    <li
      class="run-step"
      data-state={state}
      aria-current={state === "running" ? "step" : undefined}
      onPointerEnter={() => onLook(index)}
      onPointerLeave={() => onLook(undefined)}
      onFocusCapture={() => onLook(index)}
      onBlurCapture={() => onLook(undefined)}
    >
      <StateMark of={state} />
      <div class="run-step-body">
        <div class="run-step-head">
          <Text as="h2" of={title} lines={4} />
          {position && <span class="note">{placeText(position, run.file)}</span>}
          <span class="step-at" title="Virtual time since the run began">
            +{elapsedText(since, startedAt)}
          </span>
          <span class="step-word" data-state={state}>
            {state}
          </span>
        </div>
        <p class="note step-facts">{state === "running" ? "under way" : stepFacts(step)}</p>
        {step.log.latest.length > 0 && (
          <Log label={`Log of step ${step.index + 1}`} of={step.log} since={since} />
        )}
        {failure && <FailureNote failure={failure} />}
        {step.total > 0 && <StepLedger step={step} world={run.world} since={since} open={open} />}
      </div>
    </li>
  );
}
