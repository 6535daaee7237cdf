import { CodeBlock, CopyLine } from "../../../components/copy.tsx";
import { Table } from "../../../components/list-page.tsx";
import { Pill, Section, Text } from "../../../components/parts.tsx";
import { clip, count } from "../../../models/format.ts";
import type { Exploration, ExplorationFinding } from "../../../models/scenarios/api.ts";
import { scenarioCommand } from "../../../models/scenarios/explore.ts";
import { useScenarios } from "../context.ts";
import { Drawings } from "./drawing.tsx";

const LONGEST_VALUE = 120;

type ExplorationResult = NonNullable<Exploration["result"]>;
type Difference = ExplorationFinding["differences"][number];

/** A value of a state; a state may not have the place at all. */
const shown = (difference: Difference, side: "expected" | "actual"): string =>
  side in difference ? clip(JSON.stringify(difference[side]), LONGEST_VALUE) : "nothing";

interface ResultProps {
  exploration: Exploration;
  result: ExplorationResult;
}

type Status = Exclude<Exploration["status"], "running" | "failed">;

const OUTCOMES: Record<Status, readonly [words: string, title: string, tone: "bad" | "wait" | "good"]> = {
  found: ["found", "Found", "bad"],
  not_deterministic: ["not deterministic", "Not deterministic", "bad"],
  inconclusive: ["cannot tell", "Cannot tell whether there is a difference", "wait"],
  nothing_found: ["nothing found", "No difference found", "good"],
};

/** What an exploration came to. */
export function Result({ exploration, result }: ResultProps) {
  const { api } = useScenarios();
  const { finding, unstable, verdict, levels, stories, stopped, reordered } = result;
  const [words, title, tone] = OUTCOMES[exploration.status as Status];
  return (
    <>
      <Section
        title={finding?.title ?? title}
        note={verdict}
        actions={<a href={api.explorationHref(exploration.id)}>Report</a>}
      >
        <p class="flow">
          <Pill tone={tone === "good" && stopped ? "wait" : tone}>{words}</Pill>
          {finding && finding.wrong < finding.runs && (
            <span class="note">
              in {finding.wrong} of {finding.runs} runs
            </span>
          )}
          {levels.map(({ deviations, schedules, tried }) => (
            <span key={deviations} class="note">
              {count(deviations, "deviation")}:{" "}
              {schedules === null ? "not begun" : `${tried} of ${count(schedules, "schedule")}`}
            </span>
          ))}
        </p>
        {stories.length > 1 && (
          <ul aria-label="Stories">
            {stories.map((story) => (
              <li key={story.name}>
                {story.title} <span class="note">{storyWords(story)}</span>
              </li>
            ))}
          </ul>
        )}
        {reordered.length > 0 && (
          <p class="note">
            Same entries in another order, which is no difference:{" "}
            {reordered.map(({ path }) => path).join(", ")}
          </p>
        )}
        {unstable && unstable.length > 0 && <Differences of={unstable} names={["One run", "Another"]} />}
        {finding && <Attempts of={finding} />}
      </Section>
      {finding && <Finding finding={finding} of={exploration} />}
    </>
  );
}

/** How much of a story was tried, and what came of it; or why it was not. */
function storyWords({ verdict, levels, reason }: ExplorationResult["stories"][number]): string {
  if (reason !== null || verdict === null) return reason ?? "";
  const tried = levels.reduce((sum, level) => sum + level.tried, 0);
  return `${count(tried, "schedule")}, ${OUTCOMES[verdict][0]}`;
}

function Attempts({ of: { attempts } }: { of: ExplorationFinding }) {
  return (
    <ol class="explore-story" aria-label="The found schedule">
      {attempts.map(({ at, event, attempt, trigger, result, failed, deviation }, place) => (
        <li key={place} class={deviation || failed ? "bad" : "good"}>
          <time class="sand-time">{at.slice(11, 19)}</time>
          <span>
            <Text of={event} /> <span class="note">{trigger === "test" ? "test" : `attempt ${attempt}`}</span>
          </span>
          <b>{result}</b>
        </li>
      ))}
    </ol>
  );
}

function Differences({ of, names }: { of: Difference[]; names: readonly [string, string] }) {
  return (
    <Table
      label="Differences"
      items={of.map((difference, place) => ({ difference, place }))}
      keyOf={({ place }) => String(place)}
      columns={[
        { title: "State", cell: ({ difference }) => <code>{difference.path || "all of it"}</code> },
        { title: names[0], cell: ({ difference }) => <code>{shown(difference, "expected")}</code> },
        { title: names[1], cell: ({ difference }) => <code>{shown(difference, "actual")}</code> },
      ]}
    />
  );
}

interface FindingProps {
  finding: ExplorationFinding;
  of: Exploration;
}

function Finding({ finding, of }: FindingProps) {
  const { differences, why, timelines, scenario, invariant } = finding;
  return (
    <>
      <Section title="The state in the end">
        {differences.length > 0 && <Differences of={differences} names={["Expected", "Got"]} />}
        {invariant && (
          <p>
            <Text of={invariant} lines={6} />
          </p>
        )}
        <p>
          <Text of={why} />
        </p>
      </Section>
      <Section title="On the timeline">
        <Drawings timelines={timelines} />
      </Section>
      {scenario && (
        <Section
          title="As a scenario"
          note="Save it among your scenarios. It fails as long as the bug is there, and passes once it is fixed."
        >
          <CodeBlock text={scenario.text} what="the scenario" label={`scenarios/${scenario.name}.ts`} />
          <CopyLine text={scenarioCommand(scenario.name, of)} what="the command" />
        </Section>
      )}
    </>
  );
}
