import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { InboxSummary } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Empty, Loading, Problem } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { ViewHead } from "../../components/view-head.tsx";
import { inboxOf } from "../../models/endpoints.ts";
import { count } from "../../models/format.ts";
import { ofTypes, refreshOn } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../view-props.ts";
import { InboxPage } from "./inbox.tsx";

/** The built-in subscribers. */
export default function Inboxes({ parts: [name] }: ViewProps) {
  return name === undefined ? <List /> : <InboxPage key={name} name={name} />;
}

function List() {
  const { api, live, endpoints } = useApp();
  const list = useSignal<InboxSummary[] | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const read = async () => {
    try {
      list.value = await api.inboxes();
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  };
  useEffect(() => {
    void read();
    return refreshOn(live, ofTypes("inbox.received"), read);
  }, []);

  const known = new Map((list.value ?? []).map((inbox) => [inbox.name, inbox]));
  for (const { url } of endpoints.list.value ?? []) {
    const name = inboxOf(url);
    if (name !== undefined && !known.has(name)) known.set(name, { name, messages: 0, last_received_at: "" });
  }
  const inboxes = [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

  return (
    <div class="view narrow-list">
      <ViewHead
        title="Inboxes"
        note="Subscribers that are built in: they keep what they get, check its signature, and answer as you tell them."
      >
        <a class="button main" href="#/webhooks/new">
          New endpoint
        </a>
      </ViewHead>
      {error.value ? (
        <Problem error={error.value} retry={() => void read()} />
      ) : !list.value ? (
        <Loading />
      ) : inboxes.length === 0 ? (
        <Empty title="No inbox got anything yet.">
          <p>
            Point <a href="#/webhooks/new">an endpoint</a> to one, under any name.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {inboxes.map(({ name, messages, last_received_at: last }) => (
            <li key={name} class="row">
              <a class="row-main" href={href(["inboxes", name])}>
                {name}
              </a>
              <span>{count(messages, "message")}</span>
              <span class="note row-end">{last ? <Time at={last} /> : "nothing yet"}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
