import { useApp } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { Address, Empty, Loading, Pill, Section } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../models/router.ts";

/** Every endpoint in a line: whether it is well. */
export function EndpointBoard() {
  const { endpoints } = useApp();
  const list = endpoints.list.value;
  return (
    <Section
      title="Webhook endpoints"
      note="Failures in a row. At the limit, the endpoint is disabled."
      actions={<a href="#/webhooks">All webhooks</a>}
    >
      {!list ? (
        <Loading />
      ) : list.length === 0 ? (
        <Empty title="You have no endpoints yet.">
          <p>
            <a href="#/webhooks/new">Create one</a>, to the built-in inbox or to your own server, and watch
            what it gets.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {list.map(
            ({ id, url, status, threshold, consecutive_failures: failures, last_delivery_at: last }) => (
              <li key={id} class="row board-row">
                <a href={href(["webhooks", id])} class="row-main">
                  <Address of={url} />
                </a>
                <Pill tone={status === "enabled" ? "good" : "bad"}>{status}</Pill>
                <Counter value={failures} threshold={threshold} />
                <span class="note row-end">{last ? <Time at={last} /> : "nothing sent"}</span>
              </li>
            ),
          )}
        </ul>
      )}
    </Section>
  );
}
