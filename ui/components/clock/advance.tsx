import { describeTimer } from "../../../src/timeline/entries.ts";
import type { Advance, DueTimer } from "../../api-types.ts";
import { IDLE, NEXT, progressWords, RATES, STEPS } from "../../models/advances.ts";
import { bind } from "../../models/binding.ts";
import { tallyPreview } from "../../models/describe.ts";
import { brief, count, number, relative, roughly, toMs } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { Select } from "../field.tsx";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Button } from "../parts.tsx";

/** The buttons that advance the clock. Hovering over a button previews what it would cause. */
export function AdvanceButtons({ onToDate }: { onToDate: () => void }) {
  const { ledger, clock } = useApp();
  const { nextDue, onlyDemoDue, lastSeq } = clock.state.value;

  const step = (request: Advance, label: string, hint?: string) => (
    <button
      type="button"
      class="step"
      data-testid={`advance-${request.by ?? request.until}`}
      onClick={() => void ledger.advance(request)}
      onPointerEnter={() => ledger.consider(request)}
      onFocus={() => ledger.consider(request)}
    >
      <span class="vh">Advance: </span>
      {label}
      {hint !== undefined && <small aria-hidden="true">{hint}</small>}
    </button>
  );

  const due =
    nextDue === undefined || lastSeq === 0
      ? ""
      : nextDue === null
        ? onlyDemoDue
          ? "only the demo's"
          : "nothing due"
        : relative(nextDue, clock.second.value);
  return (
    <div class="advance" onPointerLeave={ledger.forget} onFocusOut={ledger.forget}>
      <fieldset class="steps">
        <legend class="vh">Advance the clock</legend>
        {STEPS.filter(({ rare }) => !rare).map(({ request, label }) => step(request, label))}
        {step(NEXT, "Next due", due)}
      </fieldset>
      <Menu id="clock" label="More ways to move the clock" look="step" button={<Icon name="more" />}>
        <div class="menu-list">
          {STEPS.filter(({ rare }) => rare).map(({ request, label }) => step(request, label))}
          {step(IDLE, "Run everything due")}
          <button
            type="button"
            class="step"
            data-testid="advance-to"
            onClick={onToDate}
            aria-haspopup="dialog"
          >
            <span class="vh">Advance: </span>Jump to…
          </button>
        </div>
        <Speed />
      </Menu>
      <Preview />
    </div>
  );
}

function Speed() {
  const { clock, toasts } = useApp();
  const { rate } = clock.state.value;
  const rates = RATES.includes(rate) ? RATES : [...RATES, rate].sort((a, b) => a - b);
  const chosen = bind(String(rate), (next) => void toasts.attempt(() => clock.setRate(Number(next))));
  const options = rates.map((value) => [String(value), `×${number(value)}`] as const);
  return <Select label="Speed" of={chosen} options={options} />;
}

const SHOWN = 6;

/** Shows a prediction of what an advance would do, based on a dry run. */
export function Preview() {
  const { ledger, router } = useApp();
  const { view, parts } = router.route.value;
  const preview = ledger.preview.value;
  if (!preview) return null;
  const { request, answer, error } = preview;
  if (error) return <Card>{error}</Card>;
  if (!answer) return <Card>Looking ahead…</Card>;
  const from = toMs(answer.from);
  const to = toMs(answer.to);
  const { would_fire: all, would_fire_count: total } = answer;
  // List the open endpoint first, and the demo shop's endpoints last.
  const rank = ({ payload, seeded }: DueTimer) =>
    view === "webhooks" && Object(payload).webhook_id === parts[0] ? 0 : seeded ? 2 : 1;
  const due = all
    .toSorted((a, b) => rank(a) - rank(b))
    .filter((one, _, [first]) => rank(one) === rank(first!));
  const shown = due.slice(0, SHOWN);
  const { least, most } = answer.would_cause.attempts;
  // Only a duration, a date or `next` determines where the clock will stop. Other advances may go beyond the last timer
  // that is currently due.
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
        {shown.map((timer) => (
          <li key={`${timer.kind}/${timer.key}`}>
            <time>{brief(toMs(timer.due_at), from)}</time>
            <span class="ellipsis">{describeTimer(timer)}</span>
          </li>
        ))}
      </ol>
      <p class="preview-foot">
        {total > shown.length && `and ${count(total - shown.length, "more", "more")}; `}
        {least < most
          ? "how many attempts follow depends on the responses"
          : "a dry run: nothing has changed"}
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

/** The progress of a long advance, and a button to stop it. */
export function Progress() {
  const { clock, ledger } = useApp();
  const { advance } = clock.state.value;
  if (!advance) return null;
  const { from, now, to } = advance;
  const ending = advance.ending || ledger.ending.value;
  const share = to === null ? {} : { value: now - from, max: Math.max(1, to - from) };
  return (
    <fieldset class="popover progress">
      <legend class="vh">Advance in progress</legend>
      <p>{progressWords(advance)}</p>
      <progress aria-label="Advance" {...share} />
      <Button onSend={() => ledger.cancel()} disabled={ending}>
        {ending ? "Stopping…" : "Stop here"}
      </Button>
    </fieldset>
  );
}
