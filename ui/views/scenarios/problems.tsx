import { Text } from "../../components/parts.tsx";
import { clip } from "../../models/format.ts";
import type { ScenarioProblem } from "../../models/scenarios/api.ts";
import { problemText } from "../../models/scenarios/words.ts";

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
            <b>
              <Text of={problem.file} />
            </b>
            : <Text of={clip(problemText(problem), LONGEST)} />
          </p>
          {problem.hint && (
            <p class="note">
              <Text of={problem.hint} lines={4} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
