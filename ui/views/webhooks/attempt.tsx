import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { canBeDiagnosed, explainDelivery } from "../../../src/timeline/explain.ts";
import type { Delivery, DeliveryDetails, Webhook } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { CodeBlock, Copy } from "../../components/copy.tsx";
import { Headers, Id } from "../../components/ids.tsx";
import { Button, Empty, Facts, Loading, Time, Unread } from "../../components/parts.tsx";
import { curlOf } from "../../models/curl.ts";
import { brief, bytes, relative, roughly, senderTitle, toMs } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { outcome, readable, subjectOf } from "../../models/webhooks/attempt.ts";
import { Diagnose } from "./diagnose.tsx";
import { Signature } from "./signature.tsx";

const TRIGGERS: Record<string, string> = {
  manual: "by hand",
  test: "as a test",
  resend: "by hand",
};

/** Labels for attempts that do not count towards the failure counter. */
const NAMES: Record<string, string> = { test: "Test", resend: "Resend" };

/** One attempt: the handler's response first, then the other sections, collapsed. */
export function Attempt({ webhook, deliveryId }: { webhook: Webhook; deliveryId: string }) {
  const { api } = useApp();
  const attempt = useLiveReading(
    ({ data }) => data.webhook_id === webhook.id || data.id === webhook.id,
    () => api.delivery(deliveryId),
    [deliveryId],
  );
  // Keep showing the previous attempt until this one has loaded, so the layout does not jump.
  const drawn = useRef<DeliveryDetails | undefined>(undefined);
  drawn.current = attempt.value.value ?? drawn.current;
  const delivery = drawn.current;
  if (attempt.error.value || !delivery) return <Unread of={attempt} />;

  const { trigger, event, attempt: number, status, response_headers: headers, created_at: at } = delivery;
  return (
    <article class="sheet" aria-label="Attempt">
      <header>
        <div>
          <h2 class={status}>{outcome(delivery)}</h2>
          <p class="note">
            {NAMES[trigger] ?? `Attempt ${number}`} of <b>{event}</b>, made{" "}
            {TRIGGERS[trigger] ?? `by ${senderTitle(webhook.sender)}`} at <Time at={at} />
          </p>
        </div>
        <SendAgain webhook={webhook} delivery={delivery} />
      </header>
      <Answer of={delivery} />
      {canBeDiagnosed(delivery) && <Diagnose key={deliveryId} webhook={webhook} delivery={delivery} />}
      <Fold
        title={
          status === "failed" ? "Why it failed and what comes next" : "How it counts and what comes next"
        }
        part="why"
        open={status === "failed" && !delivery.response_body}
      >
        <Explained delivery={delivery} />
      </Fold>
      <Fold title="Request" part="request">
        <p class="actions">
          <code class="request-line">POST {delivery.url}</code>
          <Copy text={curlOfDelivery(delivery)} what="the request as a curl command" label="Copy as curl" />
        </p>
        <CodeBlock text={readable(delivery.request_body)} what="the body" label="Body" />
        <Headers of={delivery.request_headers} label="Request headers" />
      </Fold>
      <Fold title="Signature" part="signature">
        <Signature delivery={delivery} webhook={webhook} />
      </Fold>
      <Fold title="Ids and headers" part="ids">
        <Ids of={delivery} />
        {headers && <Headers of={headers} label="Response headers" />}
      </Fold>
    </article>
  );
}

/** A curl command that sends the request again, with its signature. */
const curlOfDelivery = ({ url, request_headers: headers, request_body: body }: Delivery): string =>
  curlOf({ method: "POST", url, headers, body });

/** The handler's response, which is what matters most if an attempt failed. */
function Answer({ of }: { of: DeliveryDetails }) {
  const {
    status,
    response_code: code,
    response_body: body,
    response_size: size,
    simulated,
    error_detail: detail,
  } = of;
  if (status === "pending") return null;
  if (!body)
    return (
      <p class="note">
        {simulated
          ? "The sandbox responded instead of the handler."
          : code === null
            ? `There was no response. ${detail ?? ""}`
            : "The response had no body."}
      </p>
    );
  const isText = of.response_body_encoding !== "base64";
  return (
    <div class="answer">
      <CodeBlock
        text={isText ? readable(body) : body}
        what="the response"
        label={`Response${size === null ? "" : `, ${bytes(size)}`}${isText ? "" : ", as base64"}`}
      />
    </div>
  );
}

function Explained({ delivery }: { delivery: DeliveryDetails }) {
  const now = useApp().clock.second.value;
  const { why, fix, next } = explainDelivery(delivery, {
    at: (iso) => {
      const at = toMs(iso);
      return at > now ? `${brief(at, now)}, ${relative(at, now)}` : brief(at, now);
    },
    retry: "Retry it manually.",
    endFault: "Clear this endpoint's fault, or wait until it ends.",
    diagnose: "Find out why it refuses the signature, above.",
  });
  return (
    <>
      <p>{`${why} ${fix}`.trim()}</p>
      <p class={next.tone}>{next.text}</p>
    </>
  );
}

function Ids({ of: delivery }: { of: DeliveryDetails }) {
  const { router } = useApp();
  const { trigger, duration_ms: took, webhook_id: webhook, event_id: event } = delivery;
  const repeats = delivery.retry_of ?? delivery.resend_of;
  const about = subjectOf(delivery);
  // The contents of a test event are made up, so there is no payment to link to.
  const real = trigger !== "test";
  return (
    <Facts
      of={[
        ["Sent", <Time key="sent" at={delivery.created_at} exact />],
        ["Took", took === null ? "in progress" : roughly(took)],
        ["Delivery", <code key="delivery">{delivery.id}</code>],
        ["Event", real ? <Id key="event" of={event} /> : <code key="event">{event}</code>],
        real && !!about && ["About", <Id key="about" of={about} />],
        !!repeats && [
          "Repeats",
          <a key="repeats" href={router.inEndpoint(webhook, repeats)}>
            <code>{repeats}</code>
          </a>,
        ],
      ]}
    />
  );
}

/** A button that retries a failed attempt, or resends an event that was already delivered or resent. */
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
    router.go(router.inEndpoint(webhook.id, made.id));
  };
  return (
    <Button look={resends ? "plain" : "main"} onSend={send}>
      {resends ? "Resend" : "Retry now"}
    </Button>
  );
}

interface FoldProps {
  title: string;
  /** The section's name in URLs that open it. */
  part: string;
  open?: boolean;
  children: ComponentChildren;
}

/** A collapsible section of an attempt. */
function Fold({ title, part, open, children }: FoldProps) {
  const { router } = useApp();
  const asked = router.route.value.query.get("part") === part;
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (asked) element.current?.scrollIntoView?.({ block: "nearest" });
  }, [asked]);
  return (
    <details ref={element} class="fold" open={asked || open}>
      <summary>{title}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}

interface AheadProps {
  model: TimelineModel;
  eventId: string;
  attempt: number;
  /** Called after the attempt has been made, to open it. */
  onMade: (deliveryId: string) => void;
}

/** A planned attempt. */
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
  // The endpoint's page already shows this error.
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
    <article class="sheet" aria-label="Attempt ahead">
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
          ? "It is sent when the clock reaches that time, unless the endpoint is disabled before. If a manual retry succeeds first, it is cancelled."
          : "This is a forecast: the attempt only follows if every attempt before it fails immediately."}
      </p>
    </article>
  );
}
