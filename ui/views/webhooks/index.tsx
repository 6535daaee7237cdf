import { useSignal } from "@preact/signals";
import type { Webhook } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { Field } from "../../components/field.tsx";
import {
  Address,
  ButtonLink,
  Empty,
  Loading,
  Pill,
  Problem,
  Text,
  Unread,
  ViewHead,
} from "../../components/parts.tsx";
import { Strip, StripAxis } from "../../components/timeline/strip.tsx";
import { hasWords } from "../../models/filters.ts";
import { count } from "../../models/format.ts";
import { isDeliveryId } from "../../models/ids.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { CreateEndpoint } from "./create.tsx";
import { Endpoint } from "./endpoint.tsx";
import "./webhooks.css";
import "./attempt.css";

/** Goes on to an attempt of which only its own id is known. */
function FindAttempt({ id }: { id: string }) {
  const { api, router } = useApp();
  const reading = useReading(async () => {
    const { webhook_id: webhook } = await api.delivery(id);
    router.replace(href(["webhooks", webhook, id]));
  }, [id]);
  return (
    <div class="view">{reading.error.value ? <Problem error={reading.error.value} /> : <Loading />}</div>
  );
}

/** The heart: each endpoint, what it got, and what it will get. */
export default function Webhooks({ parts }: ViewProps) {
  const { endpoints } = useApp();
  const [id, ...rest] = parts;
  if (id === "new") return <CreateEndpoint />;
  if (id === undefined) return <Board />;
  if (isDeliveryId(id)) return <FindAttempt key={id} id={id} />;
  const webhook = endpoints.find(id);
  if (webhook) return <Endpoint key={id} webhook={webhook} parts={rest} />;
  if (endpoints.error.value || !endpoints.list.value) return <Unread of={endpoints} />;
  return (
    <div class="view">
      <Empty title={`The endpoint ${id} no longer exists.`}>
        <a href="#/webhooks">All endpoints</a>
      </Empty>
    </div>
  );
}

/** So many endpoints are listed; of more, a search finds the others. */
const LISTED = 24;

/** Every endpoint, with the hours around now on one axis. */
function Board() {
  const { endpoints, organization } = useApp();
  const list = endpoints.list.value;
  const search = useSignal("");
  const found = (list ?? []).filter(({ id, url, description, status }) =>
    hasWords(`${id} ${url} ${description ?? ""} ${status}`, search.value),
  );
  const main = organization.all.value[0]?.id;
  return (
    <div class="view">
      <ViewHead
        title="Webhooks"
        note="What each endpoint got in the last hour, and what it will get in the next."
      >
        <ButtonLink look="main" to="#/webhooks/new">
          New endpoint
        </ButtonLink>
      </ViewHead>
      {!list ? (
        <Unread of={endpoints} />
      ) : list.length === 0 ? (
        <Empty title="You have no endpoints yet.">
          <a href="#/webhooks/new">Create one</a>, to the built-in inbox or to your own server. Then make a
          payment, and watch it arrive; or make the subscriber fail, and see every retry before it comes.
        </Empty>
      ) : (
        <>
          {list.length > LISTED && (
            <Field
              label="Find an endpoint"
              type="search"
              of={search}
              placeholder="URL, id, description or disabled"
              hint={found.length > LISTED && `${LISTED} of ${count(found.length, "endpoint")} are listed.`}
            />
          )}
          <div class="frame board">
            <div class="board-head">
              <span>Endpoint</span>
              <StripAxis />
            </div>
            <ul>
              {found.slice(0, LISTED).map((webhook) => (
                <Row
                  key={webhook.id}
                  webhook={webhook}
                  owner={webhook.organization === main ? "" : organization.nameOf(webhook.organization)}
                />
              ))}
            </ul>
          </div>
        </>
      )}
    </div>
  );
}

function Row({ webhook, owner }: { webhook: Webhook; owner: string }) {
  const { id, url, status, description, consecutive_failures: failures, threshold } = webhook;
  return (
    <li class="board-row">
      <div class="board-what">
        <a href={href(["webhooks", id])}>
          <Address of={url} />
        </a>
        <p class="flow">
          <Pill tone={status === "enabled" ? "good" : "bad"}>{status}</Pill>
          <Counter value={failures} threshold={threshold} />
        </p>
        <Text
          as="p"
          class="note"
          of={[description ?? "", owner && `of ${owner}`].filter(Boolean).join("; ")}
          lines={1}
        />
      </div>
      <Strip webhookId={id} />
    </li>
  );
}
