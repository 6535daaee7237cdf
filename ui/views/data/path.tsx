import { Headers } from "../../components/ids.tsx";
import { Pill, Section, Text, Time } from "../../components/parts.tsx";
import { fellThrough, type Run, runsOf } from "../../models/chain-data/path.ts";
import { type Source, sourceWords } from "../../models/chain-data/source.ts";
import { count } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import { useData } from "./context.ts";

const TONES = { HIT: "good", MISS: "plain", EXPIRED: "plain", STALE: "bad" } as const;

interface OriginProps {
  /** What the headers say; absent without an answer. */
  source?: Source;
  /** Whether a key of the cache is that of this answer. */
  matters: (key: string) => boolean;
}

/** Where an answer comes from: its headers, and the way that led to it. */
export function Origin({ source, matters }: OriginProps) {
  const { entries } = useData();
  const runs = runsOf(entries.value.value ?? [], matters);
  return (
    <Section
      title="Where it came from"
      note={source ? sourceWords(source) : "No provider could answer, and nothing is cached."}
      actions={source && <Pill tone={TONES[source.state]}>{source.state}</Pill>}
      class="origin card"
    >
      <Path runs={runs} fromCache={source?.state === "HIT"} />
      {source && (
        <details>
          <summary>Headers of the answer</summary>
          <Headers of={source.headers} label="Headers of the answer" />
        </details>
      )}
    </Section>
  );
}

/** Earlier ways that are offered. */
const EARLIER = 5;

/** The way of the latest request through the providers, and those before it. */
export function Path({ runs, fromCache = false }: { runs: Run[]; fromCache?: boolean }) {
  const [latest, ...earlier] = runs;
  if (!latest)
    return (
      <p class="note">
        The journal no longer has the provider calls behind this answer: it was cached before the journal
        begins.
      </p>
    );
  return (
    <div class="stack path">
      <p class="note">
        {fromCache ? "No provider was asked this time. The cached answer was requested at " : "Requested at "}
        <Time at={latest.at} exact />:
      </p>
      <Steps run={latest} />
      {earlier.length > 0 && (
        <details>
          <summary>
            {count(earlier.length, "earlier time", "earlier times")} that providers were asked
          </summary>
          <div class="stack">
            {earlier.slice(0, EARLIER).map((run) => (
              <div key={run.seq}>
                <p class="note">
                  <Time at={run.at} exact />
                </p>
                <Steps run={run} />
              </div>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

function Steps({ run: { steps } }: { run: Run }) {
  return (
    <ol class="steps-taken" aria-label="The path of the request">
      {steps.map((step, index) => {
        const next = fellThrough(step, steps[index + 1]);
        return (
          <li key={step.seq}>
            <a class="pick step-taken" href={href(["activity", "journal", String(step.seq)])}>
              <span class={`code-mark ${step.tone}`}>{step.mark}</span>
              <span>
                <b>
                  <Text of={step.who} />
                </b>{" "}
                {step.text}
                {next && <span class="note">, {next}</span>}
                {(step.where || step.path) && (
                  <small class="note">
                    {step.where && (
                      <span class="step-where">
                        {step.where}
                        {step.path && ":"}
                      </span>
                    )}
                    <Text as="span" class="ellipsis" title={step.path} of={step.path} />
                  </small>
                )}
              </span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}
