import { failureKind, positionText } from "../../../src/story/scenario.ts";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { Text } from "../../components/parts.tsx";
import type { Failure } from "../../models/scenarios/events.ts";

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
        <p>
          <Text of={message} />
        </p>
      ) : (
        <CodeBlock text={message} what="the message" label="Message" ids={false} />
      )}
      {position && (
        <div class="run-position">
          <span class="note">at</span>
          <CopyLine text={positionText(position)} what="the position" />
        </div>
      )}
      {hint && (
        <p class="note">
          <Text of={hint} lines={6} />
        </p>
      )}
    </div>
  );
}
