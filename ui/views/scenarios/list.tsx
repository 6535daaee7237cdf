import { CopyLine } from "../../components/copy.tsx";
import { Button, Empty, Loaded, Section, Text, ViewHead } from "../../components/parts.tsx";
import { href } from "../../models/router.ts";
import type { Scenario, ScenarioProblem } from "../../models/scenarios/api.ts";
import { runHref, useScenarios, useStart } from "./context.ts";
import { FileProblems } from "./problems.tsx";
import { Runs, StateWord } from "./runs.tsx";

const EXPLORE = "npx sandglass explore localhost:3000/webhooks --state sqlite:shop.db --secret <secret>";

/** All scenarios, and what was run of them. */
export function ScenarioBoard() {
  const { scenarios } = useScenarios();
  return (
    <div class="view">
      <ViewHead
        note="A scenario is a story that checks itself. Each run gets a fresh world with a paused clock, so a story of days takes a moment, and ends the same each time."
        title="Scenarios"
      />
      <Section title="Explore your handler" note="Finds the sequence of deliveries that breaks it.">
        <CopyLine text={EXPLORE} what="the command" />
      </Section>
      <Loaded of={scenarios.list}>
        {(found) => (
          <div class="split scenario-board">
            <div class="stack scenario-lists">
              <Own all={found.data} problems={found.problems} />
              <Shipped all={found.data} />
            </div>
            <Section title="Latest runs" note="The latest 20 are stored, each with its world.">
              <Runs label="Latest runs" runs={scenarios.latest.value} />
            </Section>
          </div>
        )}
      </Loaded>
    </div>
  );
}

function Own({ all, problems }: { all: Scenario[]; problems: ScenarioProblem[] }) {
  const own = all.filter(({ shipped }) => !shipped);
  return (
    <Section
      title="Your own"
      note={own.length > 0 && "Files are read again when you come back to this page."}
    >
      <FileProblems of={problems} />
      {own.length > 0 ? (
        <Rows label="Your own scenarios" of={own} />
      ) : (
        problems.length === 0 && (
          <Empty
            title="You have no scenarios of your own yet."
            actions={<CopyLine text="npx sandglass init" what="the command" />}
          >
            A file that exports one is enough, in TypeScript and with no build step. This writes a first one
            where you work:
          </Empty>
        )
      )}
    </Section>
  );
}

function Shipped({ all }: { all: Scenario[] }) {
  const shipped = all.filter((scenario) => scenario.shipped);
  if (shipped.length === 0) return null;
  return (
    <Section title="Shipped with Sandglass" note="Each is short enough to read, and to begin your own with.">
      <Rows label="Shipped scenarios" of={shipped} />
    </Section>
  );
}

function Rows({ label, of }: { label: string; of: Scenario[] }) {
  return (
    <ul class="rows" aria-label={label}>
      {of.map((scenario) => (
        <Row key={scenario.name} scenario={scenario} />
      ))}
    </ul>
  );
}

function Row({ scenario: { name, title, description, file } }: { scenario: Scenario }) {
  const { scenarios } = useScenarios();
  const start = useStart();
  const latest = scenarios.latest.value?.find((run) => run.scenario === name);
  return (
    <li class="row scenario">
      <div class="row-main">
        <h3>
          <Text as="a" href={href(["scenarios", name])} of={title} lines={2} />
        </h3>
        {description && <Text as="p" of={description} lines={2} />}
        <Text as="p" class="note" of={file} lines={1} />
      </div>
      <div class="actions scenario-end">
        {latest && (
          <a
            class="state-link"
            href={runHref(latest.id)}
            aria-label={`Latest run of ${name}: ${latest.status}`}
          >
            <StateWord of={latest.status} />
          </a>
        )}
        <Button icon="play" onSend={() => start(name, {})} aria-label={`Run ${name}`}>
          Run
        </Button>
      </div>
    </li>
  );
}
