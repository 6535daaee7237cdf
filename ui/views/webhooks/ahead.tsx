import { useEffect } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Button, Empty, Loading } from "../../components/parts.tsx";
import { brief, relative } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";

interface AheadProps {
  model: TimelineModel;
  eventId: string;
  attempt: number;
  /** Opens the attempt once it was made. */
  onMade: (deliveryId: string) => void;
}

/** An attempt that is still to come. */
export function Ahead({ model, eventId, attempt, onMade }: AheadProps) {
  const { clock, ledger } = useApp();
  const mark = model.marks.value.find(
    (candidate) =>
      candidate.eventId === eventId && candidate.attempt === attempt && candidate.trigger === "automatic",
  );
  const made = mark?.deliveryId;
  useEffect(() => {
    if (made !== undefined) onMade(made);
  }, [made]);
  if (!model.timeline.value || made !== undefined) return <Loading />;
  if (!mark)
    return (
      <Empty title="This attempt is no longer planned.">
        <p>The event has been delivered since.</p>
      </Empty>
    );
  const now = clock.second.value;
  const { kind, event, at } = mark;
  if (kind === "skipped")
    return (
      <Empty title={`Attempt ${attempt} of ${event} will not be made.`}>
        <p>
          The endpoint was disabled or deleted. Skipped attempts are not sent later; failed ones can be
          retried by hand.
        </p>
      </Empty>
    );
  return (
    <article class="sheet">
      <header>
        <div>
          <h2>
            Attempt {attempt} of {event}
          </h2>
          <p class="note">
            {kind === "planned" ? "Planned for" : "Would follow at"} {brief(at, now)}, {relative(at, now)}
          </p>
        </div>
        <Button look="main" onSend={() => ledger.advance({ to: new Date(at).toISOString() })}>
          Advance to it
        </Button>
      </header>
      <p>
        {kind === "planned"
          ? "It is sent when the clock reaches that time, unless the endpoint is disabled before. If an earlier retry by hand succeeds, it is cancelled."
          : "It is a forecast: it follows only if every attempt before it fails at once."}
      </p>
    </article>
  );
}
