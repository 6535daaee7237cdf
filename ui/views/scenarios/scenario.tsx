import { Empty, Loading, Pill, Problem, Section, Text } from "../../components/parts.tsx";
import { useScenarios } from "./context.ts";
import { RunForm } from "./form.tsx";
import { FileProblems } from "./problems.tsx";
import { Runs } from "./runs.tsx";

/** A scenario: its story, what it can be run with, and its runs. */
export function ScenarioPage({ name, query }: { name: string; query: URLSearchParams }) {
  const { scenarios } = useScenarios();
  const { list } = scenarios;
  const found = list.value.value;
  const scenario = found?.data.find((one) => one.name === name);
  if (list.error.value && !found) return <Problem error={list.error.value} retry={() => void list.read()} />;
  if (!found) return <Loading />;
  if (!scenario)
    return (
      <div class="view">
        <Empty title="This scenario does not exist.">
          <p>
            No scenario is named <Text of={name} lines={2} />.
          </p>
          <a href="#/scenarios">All scenarios</a>
        </Empty>
        {/* What cannot be read may be the one that is looked for. */}
        <FileProblems of={found.problems} />
      </div>
    );
  const { title, description, file, shipped } = scenario;
  return (
    <div class="view">
      <header class="view-head">
        <div>
          <p class="note">
            <a href="#/scenarios">Scenarios</a> / {name}
          </p>
          <h1>
            <Text of={title} lines={3} />
          </h1>
          <p class="scenario-facts">
            <Pill tone="plain">{shipped ? "shipped" : "your own"}</Pill>
            <code>
              <Text of={file} lines={1} />
            </code>
          </p>
        </div>
      </header>
      {description && (
        <p class="scenario-story">
          <Text of={description} lines={12} />
        </p>
      )}
      <div class="columns">
        <RunForm scenario={scenario} query={query} />
        <Section title="Runs">
          <Runs
            label="Runs of this scenario"
            runs={scenarios.latest.value?.filter((run) => run.scenario === name)}
            ofOne
          />
        </Section>
      </div>
    </div>
  );
}
