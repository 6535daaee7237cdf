import { Headers } from "../../components/headers.tsx";
import { Pill, Section } from "../../components/parts.tsx";
import { runsOf } from "../../models/chain-data/path.ts";
import { type Source, sourceWords } from "../../models/chain-data/source.ts";
import { useData } from "./context.ts";
import { Path } from "./path.tsx";

const TONES = { HIT: "good", MISS: "plain", EXPIRED: "plain", STALE: "bad" } as const;

interface OriginProps {
  /** What the headers say; there is none where there is no answer. */
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
