import { useEffect, useRef } from "preact/hooks";
import { explainDelivery } from "../../../src/timeline/explain.ts";
import type { Delivery, DeliveryStory, Webhook } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Id } from "../../components/ids.tsx";
import { Button, Empty, Facts, Loading, Time, Unread } from "../../components/parts.tsx";
import { TabButtons } from "../../components/tabs.tsx";
import { bind } from "../../models/binding.ts";
import { brief, relative, roughly, toMs } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { outcome, subjectOf } from "../../models/webhooks/attempt.ts";
import { RequestTab, ResponseTab, SignatureTab } from "./exchange.tsx";

const TRIGGERS: Record<string, string> = {
  automatic: "by the platform",
  manual: "by hand",
  test: "as a test",
  resend: "by hand",
};

/** What an attempt is called that counts for nothing. */
const NAMES: Record<string, string> = { test: "Test", resend: "Resend" };

/** How an attempt's result is shown. */
const TONES: Record<string, string> = { pending: "plain", success: "good", failed: "bad" };

/** One attempt: how it ended and why, what follows, and every byte of it. */
export function Attempt({ webhook, deliveryId }: { webhook: Webhook; deliveryId: string }) {
  const { api, clock } = useApp();
  const attempt = useLiveReading(
    ({ data }) => data.webhook_id === webhook.id || data.id === webhook.id,
    () => api.delivery(deliveryId),
    [deliveryId],
  );
  // The one before stays drawn until this one is read, so that nothing collapses and jumps.
  const drawn = useRef<DeliveryStory | undefined>(undefined);
  drawn.current = attempt.value.value ?? drawn.current;
  const delivery = drawn.current;
  if (attempt.error.value || !delivery) return <Unread of={attempt} />;

  const now = clock.second.value;
  const { why, fix, next } = explainDelivery(delivery, {
    at: (iso) => {
      const at = toMs(iso);
      return at > now ? `${brief(at, now)}, ${relative(at, now)}` : brief(at, now);
    },
    retry: "Retry it by hand.",
    endFault: "End the fault of this endpoint, or wait until it has run out.",
  });
  const repeats = delivery.retry_of ?? delivery.resend_of;
  const about = subjectOf(delivery);
  const { trigger, event, attempt: number, status, duration_ms: took } = delivery;
  const real = trigger !== "test";
  return (
    <article class="sheet" aria-label="Attempt">
      <header>
        <div>
          <h2 class={status}>{outcome(delivery)}</h2>
          <p class="note">
            {NAMES[trigger] ?? `Attempt ${number}`} of <b>{event}</b>, made {TRIGGERS[trigger]}
          </p>
        </div>
        <SendAgain webhook={webhook} delivery={delivery} />
      </header>
      <div class="fit explained">
        <section class={TONES[status]}>
          <h3>{status === "failed" ? "Why it counts as failed" : "How it counts"}</h3>
          <p>{`${why} ${fix}`.trim()}</p>
        </section>
        <section class={next.tone}>
          <h3>What happens next</h3>
          <p>{next.text}</p>
        </section>
      </div>
      <Facts
        of={[
          ["Sent", <Time key="sent" at={delivery.created_at} exact />],
          ["Took", took === null ? "not ended" : roughly(took)],
          ["Delivery", <code key="delivery">{delivery.id}</code>],
          // What a test sends is made up: there is no payment behind it.
          [
            "Event",
            real ? <Id key="event" of={delivery.event_id} /> : <code key="event">{delivery.event_id}</code>,
          ],
          real && !!about && ["About", <Id key="about" of={about} />],
          !!repeats && [
            "Repeats",
            <a key="repeats" href={href(["webhooks", webhook.id, repeats])}>
              <code>{repeats}</code>
            </a>,
          ],
        ]}
      />
      <Tabs webhook={webhook} delivery={delivery} />
    </article>
  );
}

/** A failed attempt is retried; what was delivered, or resent before, is resent. */
function SendAgain({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { api, router, toasts } = useApp();
  const { id, status, trigger } = delivery;
  if (status === "pending" || trigger === "test") return null;
  const resends = status === "success" || trigger === "resend";
  const send = async () => {
    const made = await toasts.attempt(async () =>
      resends ? (await api.resend(id)).data[0] : await api.retry(id),
    );
    if (!made) return;
    if (made.status === "success") toasts.done(`${resends ? "Resent" : "Retried"}, and delivered.`);
    router.go(href(["webhooks", webhook.id, made.id]));
  };
  return (
    <Button look={resends ? "plain" : "main"} onSend={send}>
      {resends ? "Resend" : "Retry now"}
    </Button>
  );
}

const TABS = [
  ["request", "Request"],
  ["signature", "Signature"],
  ["response", "Response"],
] as const;

/** Which part is open is in the address, so that it is a link. */
function Tabs({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryStory }) {
  const { router } = useApp();
  const { query } = router.route.value;
  const asked = query.get("part");
  const [open, title] = TABS.find(([name]) => name === asked) ?? TABS[0];
  const element = useRef<HTMLDivElement>(null);
  // What is asked for by name is brought into sight.
  useEffect(() => {
    if (asked) element.current?.scrollIntoView?.({ block: "start" });
  }, [asked, delivery.id]);
  const part = bind(open, (name) => {
    const { list, from, to, time } = Object.fromEntries(query);
    router.replace(href(["webhooks", webhook.id, delivery.id], { list, from, to, time, part: name }));
  });
  return (
    <div ref={element}>
      <TabButtons label="Parts of the exchange" of={part} tabs={TABS} />
      <div class="tab-panel" role="tabpanel" aria-label={title}>
        {open === "request" && <RequestTab delivery={delivery} />}
        {open === "signature" && <SignatureTab delivery={delivery} webhook={webhook} />}
        {open === "response" && <ResponseTab delivery={delivery} />}
      </div>
    </div>
  );
}

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
  // The page of the endpoint shows the error.
  if (!model.timeline.value && model.data.error.value) return null;
  if (!model.timeline.value || made !== undefined) return <Loading />;
  if (!mark)
    return <Empty title="This attempt is no longer planned.">The event has been delivered since.</Empty>;
  const now = clock.second.value;
  const { kind, event, at } = mark;
  if (kind === "skipped")
    return (
      <Empty title={`Attempt ${attempt} of ${event} will not be made.`}>
        The endpoint was disabled or deleted. Skipped attempts are not sent later; failed ones can be retried
        by hand.
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
