import { CodeBlock, CopyLine } from "../../../components/copy.tsx";
import { Table } from "../../../components/list-page.tsx";
import { Pill, Section, Text } from "../../../components/parts.tsx";
import { MarkFace, markClass } from "../../../components/timeline/marks.tsx";
import { useWidth } from "../../../components/timeline/strip.tsx";
import { clip, count } from "../../../models/format.ts";
import type { Exploration, ExplorationFinding } from "../../../models/scenarios/api.ts";
import { type Drawing, type Drawn, drawRuns } from "../../../models/scenarios/drawing.ts";
import { scenarioCommand } from "../../../models/scenarios/explore.ts";
import { groupText } from "../../../models/timeline/words.ts";
import { useScenarios } from "../context.ts";

const LONGEST_VALUE = 120;

type ExplorationResult = NonNullable<Exploration["result"]>;
type Difference = ExplorationFinding["differences"][number];

/** A value of a state; a state may not have the place at all. */
const shown = (difference: Difference, side: "expected" | "actual"): string =>
  side in difference ? clip(JSON.stringify(difference[side]), LONGEST_VALUE) : "nothing";

type Status = Exclude<Exploration["status"], "running" | "failed">;

const OUTCOMES: Record<Status, readonly [words: string, title: string, tone: "bad" | "wait" | "good"]> = {
  found: ["found", "Found", "bad"],
  not_deterministic: ["not deterministic", "Not deterministic", "bad"],
  inconclusive: ["cannot tell", "Cannot tell whether there is a difference", "wait"],
  nothing_found: ["nothing found", "No difference found", "good"],
};

/** What an exploration came to. */
export function Result({ exploration, result }: { exploration: Exploration; result: ExplorationResult }) {
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

/** What each delivery changed, around the one at which the runs part. */
function Parting({ of }: { of: ExplorationFinding["parting"] }) {
  const changes = (all: readonly string[]) => all.map((one) => <Text key={one} as="div" of={one} />);
  return (
    <Table
      label="What each delivery changed"
      items={of}
      keyOf={({ attempts }) => attempts.join("+")}
      columns={[
        { title: "Attempt", cell: ({ attempts }) => attempts.join("+") },
        {
          title: "Event",
          cell: ({ event, parts }) => (parts ? <b class="bad">{event}: the runs part here</b> : event),
        },
        { title: "When everything goes well", cell: ({ calm }) => changes(calm) },
        { title: "As found", cell: ({ found }) => changes(found) },
      ]}
    />
  );
}

function Finding({ finding, of }: { finding: ExplorationFinding; of: Exploration }) {
  const { differences, why, scenario, invariant } = finding;
  return (
    <>
      <Section title="The state in the end">
        {differences.length > 0 && <Differences of={differences} names={["Expected", "Got"]} />}
        {finding.parting.length > 0 && <Parting of={finding.parting} />}
        {invariant && <Text as="p" of={invariant} lines={6} />}
        <Text as="p" of={why} />
      </Section>
      <Section title="On the timeline">
        <Drawings finding={finding} />
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

/** Room at both sides for half a mark, and at the right for a label of the axis; pixels. */
const LEFT = 22;
const RIGHT = 64;
const LEAST_WIDTH = 320;

/** The calm run above the found one, on one axis. */
function Drawings({ finding }: { finding: ExplorationFinding }) {
  const { element, width } = useWidth<HTMLElement>();
  const room = Math.max(LEAST_WIDTH, width.value) - LEFT - RIGHT;
  const drawn = width.value > 0 ? drawRuns(finding, room) : undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={element} class="explore-drawings" tabIndex={0} aria-label="Both runs on the timeline">
      {drawn && (
        <div style={{ width: `${room + LEFT + RIGHT}px` }}>
          <Axis drawn={drawn} />
          <Run title="When everything goes well" drawn={drawn} of={drawn.calm} />
          <Run title="As found" drawn={drawn} of={drawn.found} />
          {drawn.second && <Run title="As found: the second endpoint" drawn={drawn} of={drawn.second} />}
        </div>
      )}
    </section>
  );
}

function Axis({ drawn }: { drawn: Drawn }) {
  return (
    <div class="explore-axis" aria-hidden="true">
      {drawn.axis.map(
        ({ x, label, day }) =>
          label !== undefined && (
            <span key={x} class={day ? "strong" : undefined} style={{ left: `${LEFT + x}px` }}>
              {label}
            </span>
          ),
      )}
    </div>
  );
}

function Run({ title, drawn, of }: { title: string; drawn: Drawn; of: Drawing }) {
  const place = (at: number) => `${LEFT + drawn.x(at)}px`;
  const since = of.threads[0]?.from ?? 0;
  return (
    <figure class="explore-run">
      <figcaption>{title}</figcaption>
      <div
        class="frame explore-lanes"
        role="img"
        aria-label={`${title}: ${of.groups.map((group) => groupText(group, since)).join("; ")}`}
        style={{ "--lanes": of.lanes }}
      >
        {drawn.axis.map(({ x }) => (
          <i key={x} class="explore-tick" style={{ left: `${LEFT + x}px` }} />
        ))}
        {of.threads.map(({ eventId, event, from, made, lane }) => (
          <div key={eventId} class="explore-lane" style={{ "--at": lane }}>
            <span class="caption" style={{ left: `${LEFT + drawn.x(from) - LEFT / 2}px` }}>
              {event}
            </span>
            <i class="thread" style={{ left: place(from), width: `${drawn.x(made) - drawn.x(from)}px` }} />
            {of.groups
              .filter((group) => group.lane === lane && group.marks[0]!.eventId === eventId)
              .map((group) => (
                <i key={group.key} class={markClass(group)} style={{ left: place(group.at) }}>
                  <MarkFace group={group} />
                </i>
              ))}
          </div>
        ))}
      </div>
    </figure>
  );
}
