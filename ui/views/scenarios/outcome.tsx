import { attemptCode, attemptTone } from "../../../src/timeline/attempt.ts";
import { useApp } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { Address, Section, Text } from "../../components/parts.tsx";
import { brief, clip, count, toMs } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import type { EndpointReport, Report, Run } from "../../models/scenarios/api.ts";
import { rootOf, worldBase } from "../../models/snapshots/api.ts";

/** So many attempts of an endpoint are drawn: the latest. */
const MARKS = 24;

interface OutcomeProps {
  run: Run;
  report: Report;
  /** Whether its world has ended. */
  gone: boolean;
}

/** What a run left behind: its endpoints with their attempts, and its e-mails. */
export function Outcome({ run, report: { endpoints, mail, started_at: from }, gone }: OutcomeProps) {
  const { api } = useApp();
  const page = gone ? undefined : worldBase(rootOf(api.transport.base), run.world);
  return (
    <>
      {endpoints.length > 0 && (
        <Section
          title="Endpoints at the end"
          note="Their timelines are in the report, and in the run's world."
        >
          <ul class="rows" aria-label="Endpoints at the end">
            {endpoints.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} page={page} from={toMs(from)} />
            ))}
          </ul>
        </Section>
      )}
      {mail.length > 0 && (
        <Section title="E-mails">
          <ul class="rows" aria-label="E-mails">
            {mail.map(({ to, subject, created_at: at }, place) => (
              <li key={place} class="row">
                <time class="sand-time">{brief(toMs(at), toMs(from))}</time>
                <Text as="span" class="row-main" of={subject} lines={2} />
                <span class="note">
                  to <Text of={clip(to, 80)} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

interface EndpointRowProps {
  endpoint: EndpointReport;
  page: string | undefined;
  /** When the run began: what is older came with the seed. */
  from: number;
}

function EndpointRow({ endpoint, page, from }: EndpointRowProps) {
  const { id, url, description, timeline } = endpoint;
  const { planned, counter, status } = timeline;
  const attempts = timeline.attempts.filter(({ started_at: at }) => toMs(at) >= from);
  const name = description === null ? <Address of={url} /> : <Text of={description} lines={2} />;
  const earlier = attempts.length - MARKS;
  return (
    <li class="row endpoint-row">
      <div class="row-main">
        {page ? <a href={page + href(["webhooks", id])}>{name}</a> : name}
        {description !== null && (
          <p class="note">
            <Address of={url} />
          </p>
        )}
      </div>
      <span class="state-word" data-state={status === "enabled" ? "passed" : "failed"}>
        {status}
      </span>
      <Counter value={counter.consecutive_failures} threshold={counter.threshold} />
      {attempts.length + planned.length > 0 && (
        <ol class="flow endpoint-marks" aria-label="Attempts">
          {earlier > 0 && <li class="note">{count(earlier, "earlier", "earlier")}</li>}
          {attempts.slice(-MARKS).map((attempt) => (
            <li
              key={attempt.delivery_id}
              class={`code-mark ${attemptTone(attempt.status)} ${attempt.trigger}`}
            >
              <span class="vh">Attempt {attempt.attempt}: </span>
              {attemptCode(attempt)}
            </li>
          ))}
          {planned.length > 0 && <li class="note">{planned.length} planned</li>}
        </ol>
      )}
    </li>
  );
}
