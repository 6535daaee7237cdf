import type { Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { Empty, Loading, Pill, Text } from "../../components/parts.tsx";
import { Strip, StripAxis } from "../../components/timeline/strip.tsx";
import { href } from "../../models/router.ts";

/** Beyond so many, endpoints are listed without a picture. */
const DRAWN = 24;

/** Every endpoint, with the hours around now on one axis. */
export function Board() {
  const { endpoints, status } = useApp();
  const list = endpoints.list.value;
  const main = status.value.organization.id;
  return (
    <div class="view">
      <header class="view-head">
        <div>
          <h1>Webhooks</h1>
          <p class="note">What each endpoint got in the last hour, and what it will get in the next.</p>
        </div>
        <a class="button main" href="#/webhooks/new">
          New endpoint
        </a>
      </header>
      {!list ? (
        <Loading />
      ) : list.length === 0 ? (
        <Empty title="There is no endpoint yet.">
          <p>
            <a href="#/webhooks/new">Create one</a>, to the built-in inbox or to your own server. Then make a
            payment, and watch it arrive; or make the subscriber fail, and see every retry before it comes.
          </p>
        </Empty>
      ) : (
        <div class="board">
          <div class="board-head">
            <span>Endpoint</span>
            <StripAxis />
          </div>
          <ul>
            {list.map((webhook, index) => (
              <Row
                key={webhook.id}
                webhook={webhook}
                own={webhook.organization === main}
                drawn={index < DRAWN}
              />
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Row({ webhook, own, drawn }: { webhook: Webhook; own: boolean; drawn: boolean }) {
  const { id, url, status, description, consecutive_failures: failures, threshold } = webhook;
  return (
    <li class="board-row">
      <div class="board-what">
        <a href={href(["webhooks", id])}>
          <Text of={url} lines={1} />
        </a>
        <p class="board-facts">
          <Pill tone={status === "enabled" ? "good" : "bad"}>{status}</Pill>
          <Counter value={failures} threshold={threshold} />
        </p>
        <p class="note">
          <Text
            of={[description ?? "", own ? "" : "another organization"].filter(Boolean).join("; ")}
            lines={1}
          />
        </p>
      </div>
      {drawn && <Strip webhookId={id} />}
    </li>
  );
}
