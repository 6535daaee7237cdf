import { useSignal } from "@preact/signals";
import { worthShowing } from "../../../src/story/entries.ts";
import { useApp, useReading } from "../../components/context.ts";
import { Counter } from "../../components/counter.tsx";
import { DialogForm, useDialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Ids } from "../../components/ids.tsx";
import { Address, Button, Empty, Loading, Pill, Section, Time, ViewHead } from "../../components/parts.tsx";
import { describeEntry } from "../../models/describe.ts";
import { href } from "../../models/router.ts";
import { createSnapshotApi } from "../../models/snapshots/api.ts";
import { goBackTo, guardName, keepBefore } from "../../models/snapshots/snapshots.ts";
import { Doors } from "./doors.tsx";
import "./overview.css";

/** The home: what to do here, what just happened, and how each endpoint is. */
export default function Overview() {
  const { status } = useApp();
  const resetting = useDialog();
  const { organization } = status.value;
  return (
    <div class="view overview">
      <ViewHead
        facts={
          <p class="note">
            A whole payments platform on this machine. <a href="#/connect">Connect your code to it</a>
          </p>
        }
        title={organization.name}
      >
        <Button onClick={() => resetting.open(true)}>Reset the world…</Button>
      </ViewHead>
      <Doors />
      <div class="split home">
        <EndpointBoard />
        <Latest />
      </div>
      {resetting.target.value && <ResetDialog onClose={resetting.close} />}
    </div>
  );
}

/** Asks before everything goes back to the fixtures. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const { api, status, toasts } = useApp();
  const seed = useSignal(status.value.seed);
  const { world } = status.value;
  const reset = async () => {
    const snapshots = createSnapshotApi(api.transport);
    const guard = await keepBefore(snapshots, world, undefined);
    const done = await api.reset(seed.value.trim());
    toasts.done(
      `The world was reset to the fixtures of the seed ${done.seed}. Its earlier state is the snapshot ${guard}.`,
      () => goBackTo(snapshots, world, guard),
    );
    onClose();
  };
  return (
    <DialogForm title="Reset the world" action="Reset" look="danger" onSend={reset} onClose={onClose}>
      <p>
        Removes everything made since the start: payments, endpoints, deliveries, faults and the journal. The
        clock returns to the start of the fixtures.
      </p>
      <p class="note">
        The present state is saved first, as the snapshot <b>{guardName(world, undefined)}</b>, so you can
        undo this. The next reset replaces that snapshot.
      </p>
      <Field
        label="Seed"
        of={seed}
        hint="The same seed gives the same data; empty creates only organizations and keys."
      />
    </DialogForm>
  );
}

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
          <a href="#/webhooks/new">Create one</a>, to the built-in inbox or to your own server, and watch what
          it gets.
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

const SHOWN = 10;

/** What just happened, newest first. */
export function Latest() {
  const { api, journal } = useApp();
  // What happened before the page was opened.
  useReading(async () => journal.prepend((await api.events({ order: "desc", limit: 60 })).reverse()));
  const entries = worthShowing(journal.entries.value).slice(-SHOWN).reverse();
  return (
    <Section title="What just happened" actions={<a href="#/activity/journal">The journal</a>}>
      {entries.length === 0 ? (
        <Empty title="Nothing yet.">Make a payment, and each step of it is listed here.</Empty>
      ) : (
        <ol class="rows latest">
          {entries.map((entry) => {
            const { title, detail, tone, href } = describeEntry(entry);
            return (
              <li key={entry.seq} class={`row ${tone}`}>
                <Time at={entry.at} />
                <span class="row-main">
                  {href ? <a href={href}>{title}</a> : title}
                  {detail && (
                    <span class="note clamp">
                      {" "}
                      <Ids of={detail} />
                    </span>
                  )}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Section>
  );
}
