import { describeTimer, tallyTimers } from "../../models/describe.ts";
import { brief, count, duration, toMs } from "../../models/format.ts";
import { useApp } from "../context.ts";

const SHOWN = 6;

/** What an advance would find due: a dry run, which changes nothing. */
export function Preview() {
  const { ledger } = useApp();
  const preview = ledger.preview.value;
  if (!preview) return null;
  const { answer, error } = preview;
  if (error) return <Card>{error}</Card>;
  if (!answer) return <Card>Looking ahead…</Card>;
  const from = toMs(answer.from);
  const to = toMs(answer.to);
  const due = answer.would_fire;
  if (due.length === 0)
    return <Card>{to === from ? "Nothing is due at all." : `Nothing is due until ${brief(to, from)}.`}</Card>;
  return (
    <Card>
      <p class="preview-head">
        {tallyTimers(due)} <span>in {duration(to - from)}</span>
      </p>
      <ol>
        {due.slice(0, SHOWN).map((timer) => (
          <li key={`${timer.kind}/${timer.key}`}>
            <time>{brief(toMs(timer.due_at), from)}</time>
            <span class="ellipsis">{describeTimer(timer).title}</span>
          </li>
        ))}
      </ol>
      <p class="preview-foot">
        {due.length > SHOWN && `and ${count(due.length - SHOWN, "more", "more")}; `}
        {answer.would_fire.some(({ kind }) => kind.startsWith("webhooks"))
          ? "what follows from them depends on the answers"
          : "a dry run: nothing has changed"}
      </p>
    </Card>
  );
}

function Card({ children }: { children: preact.ComponentChildren }) {
  return (
    <div class="preview" role="status">
      {children}
    </div>
  );
}
