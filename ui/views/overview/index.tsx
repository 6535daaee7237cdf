import { useEffect } from "preact/hooks";
import type { Webhook } from "../../api-types.ts";
import { useApp, useModel } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { Address, Button, Empty, Pill, Unread } from "../../components/parts.tsx";
import { Timeline } from "../../components/timeline/timeline.tsx";
import { href } from "../../models/router.ts";
import { heroOf, tellStory } from "../../models/story.ts";
import { createTimeline } from "../../models/timeline/timeline.ts";
import "./overview.css";

/** The home: a story that plays once, and the way to make one's own. */
export default function Overview() {
  const { demo, endpoints, status, toasts } = useApp();
  const list = endpoints.list.value;
  const hero = list && heroOf(list);
  return (
    <div class="view home">
      <header class="home-head">
        <div>
          <h1>What happens to your webhooks an hour from now?</h1>
          <p class="note">
            A payments platform on this machine, {status.value.organization.name} on it, and a clock that you
            move.
          </p>
        </div>
        <Button look="main" icon="play" onSend={() => toasts.attempt(demo.watch)}>
          Watch an endpoint fail
        </Button>
      </header>
      {!list ? (
        <Unread of={endpoints} />
      ) : hero ? (
        <Story key={hero.id} webhook={hero} />
      ) : (
        <Empty title="There is no endpoint yet.">
          Watch one fail, or <a href="#/webhooks/new">register your own</a>.
        </Empty>
      )}
      <nav class="flow home-ways" aria-label="Begin">
        <a href="#/connect">Connect your server</a>
        <a href="#/scenarios">Explore a handler</a>
        <a href="#/snapshots">Begin with your data</a>
        <Button look="quiet" onClick={demo.start}>
          Run the demo
        </Button>
      </nav>
    </div>
  );
}

/** The endpoint with its timeline, which plays once. */
function Story({ webhook }: { webhook: Webhook }) {
  const app = useApp();
  const { id, url, status, consecutive_failures: failures, threshold } = webhook;
  const timeline = useModel(() => createTimeline(app, id), [id]);
  const isRead = timeline.timeline.value !== undefined && timeline.view.width.value > 0;
  useEffect(() => {
    if (!isRead || app.prefs.told) return;
    app.prefs.told = true;
    return tellStory(app.machine, timeline);
  }, [isRead]);
  const then = timeline.told.value ? timeline.timeline.value : undefined;
  return (
    <section class="stack story" aria-label="An endpoint">
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
