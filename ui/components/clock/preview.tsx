import { describeTimer } from "../../../src/story/entries.ts";
import { tallyPreview } from "../../models/describe.ts";
import { brief, count, roughly, toMs } from "../../models/format.ts";
import { useApp } from "../context.ts";

const SHOWN = 6;

/** What an advance would find due: a dry run, which changes nothing. */
export function Preview() {
  const { ledger } = useApp();
  const preview = ledger.preview.value;
  if (!preview) return null;
  const { request, answer, error } = preview;
  if (error) return <Card>{error}</Card>;
  if (!answer) return <Card>Looking ahead…</Card>;
  const from = toMs(answer.from);
  const to = toMs(answer.to);
  const { would_fire: due, would_fire_count: total } = answer;
  const { least, most } = answer.would_cause.attempts;
  // Until nothing is due, it goes beyond the last thing that is due now.
  const lands = request.until === undefined || request.until === "next";
  if (due.length === 0)
    return <Card>{to === from ? "Nothing is due." : `Nothing is due until ${brief(to, from)}.`}</Card>;
  return (
    <Card>
      <p class="preview-head">
        {tallyPreview(answer)}
        {lands && <span> in {roughly(to - from)}</span>}
      </p>
      <ol>
        {due.slice(0, SHOWN).map((timer) => (
          <li key={`${timer.kind}/${timer.key}`}>
            <time>{brief(toMs(timer.due_at), from)}</time>
            <span class="ellipsis">{describeTimer(timer)}</span>
          </li>
        ))}
      </ol>
      <p class="preview-foot">
        {total > SHOWN && `and ${count(total - SHOWN, "more", "more")}; `}
        {least < most ? "how many attempts follow depends on the answers" : "a dry run: nothing has changed"}
      </p>
    </Card>
  );
}

function Card({ children }: { children: preact.ComponentChildren }) {
  return (
    <div class="popover preview" role="status">
      {children}
    </div>
  );
}
