import { failureKind, positionText } from "../../../src/timeline/scenario.ts";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { Text } from "../../components/parts.tsx";
import { clip } from "../../models/format.ts";
import type { Failure, ScenarioProblem } from "../../models/scenarios/api.ts";
import { problemText } from "../../models/scenarios/course.ts";

/** A message may quote what is in a file. */
const LONGEST = 600;

/** Files that are no scenarios as they are: what is wrong with each, and the way out. */
export function FileProblems({ of }: { of: ScenarioProblem[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="stack" aria-label="Files that are no scenarios">
      {of.map((problem) => (
        <li key={problem.file} class="problem">
          <p class="problem-text">
            <Text as="b" of={problem.file} />: <Text of={clip(problemText(problem), LONGEST)} />
          </p>
          {problem.hint && <Text as="p" class="note" of={problem.hint} lines={4} />}
        </li>
      ))}
    </ul>
  );
}

/** A message that is longer, or of several lines, is shown as it was set. */
const LINE = 200;

/** Why a run failed, where, and the way out. */
export function FailureNote({ failure }: { failure: Failure }) {
  const { message, hint, position } = failure;
  const short = message.length <= LINE && !message.includes("\n");
  return (
    <div class="problem run-failure" role="alert" tabIndex={-1}>
      <p class="run-failure-title">{failureKind(failure.code)}</p>
      {short ? (
        <Text as="p" of={message} />
      ) : (
        <CodeBlock text={message} what="the message" label="Message" ids={false} />
      )}
      {position && (
        <div class="actions">
          <span class="note">at</span>
          <CopyLine text={positionText(position)} what="the position" />
        </div>
      )}
      {hint && <Text as="p" class="note" of={hint} lines={6} />}
    </div>
  );
}
