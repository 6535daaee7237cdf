import { inboxOf } from "../../../src/timeline/attempt.ts";
import type { InboxSummary } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { ButtonLink, Empty, Loaded, Time, ViewHead } from "../../components/parts.tsx";
import { count } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { InboxPage } from "./inbox.tsx";

/** The built-in subscribers. */
export default function Inboxes({ parts: [name] }: ViewProps) {
  return name === undefined ? <List /> : <InboxPage key={name} name={name} />;
}

function List() {
  const { api } = useApp();
  const inboxes = useLiveReading(ofTypes("inbox.received"), api.inboxes);
  return (
    <div class="view narrow-list">
      <ViewHead
        title="Inboxes"
        note="Built-in subscribers. They store what they receive, check its signature, and answer as you choose."
      >
        <ButtonLink look="main" to="#/webhooks/new">
          New endpoint
        </ButtonLink>
      </ViewHead>
      <Loaded of={inboxes}>{(used) => <Rows used={used} />}</Loaded>
    </div>
  );
}

/** The inboxes that got something, and those that endpoints lead to. */
function Rows({ used }: { used: InboxSummary[] }) {
  const { endpoints } = useApp();
  const byName = new Map(used.map((inbox) => [inbox.name, inbox]));
  for (const { url } of endpoints.list.value ?? []) {
    const name = inboxOf(url);
    if (name !== undefined && !byName.has(name))
      byName.set(name, { name, messages: 0, last_received_at: "" });
  }
  const inboxes = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (inboxes.length === 0)
    return (
      <Empty title="No inbox has received anything yet.">
        Point <a href="#/webhooks/new">an endpoint</a> to one, under any name.
      </Empty>
    );
  return (
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
  );
}
