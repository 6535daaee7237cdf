import { useEffect } from "preact/hooks";
import { listed } from "../../../src/timeline/text.ts";
import type { Webhook } from "../../api-types.ts";
import { useApp, useModel } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { Address, ButtonLink, Empty, Pill, Unread } from "../../components/parts.tsx";
import { Timeline } from "../../components/timeline/timeline.tsx";
import { senderTitle } from "../../models/format.ts";
import { heroOf, replayTimeline } from "../../models/replay.ts";
import { href } from "../../models/router.ts";
import { emptyTimeline } from "../../models/timeline/data.ts";
import { createTimeline } from "../../models/timeline/timeline.ts";
import "./home.css";

/** Shows the user's newest endpoint or, if there is none, an introduction and the timeline of a demo endpoint. */
export default function Home() {
  const { endpoints, router, status } = useApp();
  const newest = endpoints.own.value[0];
  useEffect(() => {
    if (newest) router.replace(href(["webhooks", newest.id]));
  }, [newest?.id]);
  if (!endpoints.list.value) return <Unread of={endpoints} />;
  if (newest) return null;
  const hero = heroOf(endpoints.list.value);
  const { senders } = status.value;
  return (
    <div class="view home">
      <header class="home-head">
        <div>
          <h1>
            Sandglass: what happens to your {senders.length > 0 && `${listed(senders.map(senderTitle))} `}
            webhooks an hour from now?
          </h1>
          <p>
            {senders.length > 0
              ? "They are signed, sent to your server and retried as the sender would, on a clock that you control. "
              : "Webhooks from Stripe, GitHub, Shopify and others, and from the built-in Sandglass payments, sent to your handler on a clock that you control. "}
            Read the <a href="_sandbox/reference">reference</a>, or docs/README.md in the package.
          </p>
        </div>
        <ButtonLink look="main" to={href(["webhooks", "new"])}>
          Register your endpoint
        </ButtonLink>
      </header>
      {hero ? (
        <DemoEndpoint key={hero.id} webhook={hero} />
      ) : senders.length > 0 ? (
        <Waiting />
      ) : (
        <Empty title="There are no endpoints yet.">
          Register one: your own handler, or an inbox that is built in. Then see every retry before it comes.
        </Empty>
      )}
    </div>
  );
}

/** A placeholder for the timeline of the first endpoint. */
function Waiting() {
  const app = useApp();
  const timeline = useModel(() => {
    const now = new Date(app.clock.exact()).toISOString();
    return createTimeline({ ...app, api: { ...app.api, timeline: async () => emptyTimeline(now) } }, "");
  }, []);
  return (
    <section class="stack demo-endpoint" aria-label="Your endpoint">
      <Timeline model={timeline} selected={undefined} onOpen={() => {}} onFlag={() => {}}>
        <p class="waiting" role="status">
          Waiting for the first event. Each event gets a lane here, with your handler's responses and the
          retries to come.
        </p>
      </Timeline>
    </section>
  );
}

/** A demo endpoint with its timeline, which is replayed only once. */
function DemoEndpoint({ webhook }: { webhook: Webhook }) {
  const app = useApp();
  const { id, url, status, consecutive_failures: failures, threshold } = webhook;
  const timeline = useModel(() => createTimeline(app, id), [id]);
  const isRead = timeline.timeline.value !== undefined && timeline.view.width.value > 0;
  useEffect(() => {
    if (!isRead || app.prefs.hasReplayed) return;
    app.prefs.hasReplayed = true;
    return replayTimeline(app.machine, timeline);
  }, [isRead]);
  const then = timeline.replaying.value ? timeline.timeline.value : undefined;
  return (
    <section class="stack demo-endpoint" aria-label="A demo endpoint">
      <p class="flow">
        <a href={href(["webhooks", id])}>
          <Address of={url} />
        </a>
        <Pill tone={(then?.status ?? status) === "enabled" ? "good" : "bad"}>{then?.status ?? status}</Pill>
        <Counter value={then?.counter.consecutive_failures ?? failures} threshold={threshold} />
      </p>
      <Timeline
        model={timeline}
        selected={undefined}
        onOpen={({ marks }) => app.router.go(href(["webhooks", id, marks.at(-1)!.deliveryId]))}
        onFlag={() => app.router.go(href(["webhooks", id]))}
      />
    </section>
  );
}
