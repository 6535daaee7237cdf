import { useEffect } from "preact/hooks";
import { useReading } from "../../components/context.ts";
import { Empty, Pill, Problem, Section, Text, Unread, ViewHead } from "../../components/parts.tsx";
import { NOT_BEGUN } from "../../models/scenarios/course.ts";
import { useScenarios } from "./context.ts";
import { RunForm } from "./form.tsx";
import { FileProblems } from "./problems.tsx";
import { Runs } from "./runs.tsx";
import { Source } from "./source.tsx";

/** A scenario: its story, what it can be run with, and its runs. */
export function ScenarioPage({ name, query }: { name: string; query: URLSearchParams }) {
  const { scenarios } = useScenarios();
  const { list } = scenarios;
  const found = list.value.value;
  const scenario = found?.data.find((one) => one.name === name);
  if (!found) return <Unread of={list} />;
  if (!scenario)
    return (
      <div class="view">
        <Empty title="This scenario does not exist." actions={<a href="#/scenarios">All scenarios</a>}>
          No scenario is named <Text of={name} />.
        </Empty>
        {/* What cannot be read may be the one that is looked for. */}
        <FileProblems of={found.problems} />
      </div>
    );
  const { title, description, file, shipped } = scenario;
  return (
    <div class="view">
      <ViewHead
        path={
          <>
            <a href="#/scenarios">Scenarios</a> / {name}
          </>
        }
        facts={
          <p class="flow scenario-facts">
            <Pill tone="plain">{shipped ? "shipped" : "your own"}</Pill>
            <Text as="code" of={file} lines={1} />
          </p>
        }
        title={title}
      />
      {description && <Text as="p" class="scenario-story" of={description} lines={12} />}
      <div class="fit columns">
        <RunForm scenario={scenario} query={query} />
        <Section title="Runs">
          <Runs
            label="Runs of this scenario"
            runs={scenarios.latest.value?.filter((run) => run.scenario === name)}
            ofOne
          />
        </Section>
      </div>
      <ScenarioSource key={file} name={name} file={file} />
    </div>
  );
}

/** What it does, to be read before it is run. */
function ScenarioSource({ name, file }: { name: string; file: string }) {
  const { api, scenarios } = useScenarios();
  const reading = useReading(() => api.source(name), [name]);
  const list = scenarios.list.value.value;
  useEffect(() => {
    // Read with the list, which is read again when a person comes back from the editor.
    if (reading.value.peek() !== undefined) void reading.read();
  }, [list]);
  const text = reading.value.value;
  if (reading.error.value) return <Problem error={reading.error.value} retry={() => void reading.read()} />;
  return text ? <Source text={text} file={file} course={NOT_BEGUN} looked={undefined} /> : null;
}
