import type { Call } from "../../api-types.ts";
import { useApp, useModel, useReading } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Headers } from "../../components/ids.tsx";
import { Empty, Facts, Loading, Problem, Text, Time } from "../../components/parts.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { Calls, CLASSES } from "../../models/activity/calls.ts";
import { withKey } from "../../models/curl.ts";
import { href } from "../../models/router.ts";
import { readable } from "../../models/webhooks/attempt.ts";
import { StreamBar } from "./bar.tsx";

const ROW = 2.25;
/** The path within its area; the area stands beside it. */
const pathOf = ({ path }: Call) =>
  path.replace(/^(?:\/w\/[^/]+)?\/(?:platform\/api\/v1|[a-z]+)(?=[/?]|$)/, "") || "/";
const toneOf = (status: number) => (status < 400 ? "good" : "bad");

/** The calls that the APIs received; not those of this page. */
export function CallsTab({ id }: { id: number }) {
  const { api, live, machine } = useApp();
  const calls = useModel(
    () => new Calls(api, live, machine, () => document.visibilityState === "visible"),
    [],
  );
  const list = calls.shown.value;
  return (
    <div class="stack">
      <StreamBar choice={calls.status} choices={[...CLASSES]} label="Statuses" stream={calls} />
      {calls.error.value && <Problem error={calls.error.value} retry={() => void calls.read()} />}
      <div class={id ? "split" : undefined}>
        {!calls.loaded.value ? (
          <Loading />
        ) : list.length === 0 ? (
          <Empty title={calls.search.value || calls.status.value ? "No call matches." : "No calls yet."}>
            Call an API, for example with a line of the <a href="#/overview">first steps</a>; the latest 500
            calls are listed here, each with a curl line to repeat it.
          </Empty>
        ) : (
          <VirtualList
            label="API calls, newest first"
            items={list}
            keyOf={(call) => call.id}
            row={ROW}
            rows={18}
            render={(call) => <Row call={call} current={call.id === id} />}
          />
        )}
        {id > 0 && <Detail key={id} id={id} />}
      </div>
    </div>
  );
}

function Row({ call, current }: { call: Call; current: boolean }) {
  return (
    <a
      class="pick call-row"
      href={href(["activity", "calls", String(call.id)])}
      aria-current={current || undefined}
    >
      <Time at={call.at} />
      <span class={`code-mark ${toneOf(call.status)}`}>{call.status}</span>
      <span class="call-method">{call.method}</span>
      <span class="ellipsis" title={call.hint}>
        <Text of={pathOf(call)} />
        {call.hint && <span class="note"> {call.hint}</span>}
      </span>
      <span class="note call-area">{call.area}</span>
      <span class="note call-took">{call.duration_ms.toFixed(1)} ms</span>
    </a>
  );
}

function Detail({ id }: { id: number }) {
  const { api, status } = useApp();
  const detail = useReading(() => api.callDetail(id), [id]);
  if (detail.error.value) return <Problem error={detail.error.value} />;
  const call = detail.value.value;
  if (!call) return <Loading />;
  return (
    <article class="sheet" aria-label="API call">
      <header>
        <div>
          <h2>
            {call.method} <Text of={call.path} lines={3} />
          </h2>
          <p class="note">
            answered {call.status} in {call.duration_ms.toFixed(1)} ms
          </p>
        </div>
      </header>
      <Facts
        of={[
          ["Virtual time", <Time key="at" at={call.at} exact />],
          ["Real time", call.wall.replace("T", " ").replace("Z", "")],
          ["Area", call.area],
          !!call.hint && ["Hint", call.hint],
        ]}
      />
      <CodeBlock
        text={withKey(call.curl, status.value.keys.write ?? "")}
        what="the call as a curl line"
        label="Repeat it with curl; the key reads and writes"
      />
      {call.body !== null && (
        <CodeBlock text={readable(call.body)} what="the request body" label="Request body" />
      )}
      {call.response_body !== null && (
        <CodeBlock text={readable(call.response_body)} what="the answer" label="Answer" />
      )}
      <details>
        <summary>Request headers</summary>
        <Headers of={call.headers} label="Headers of the request" />
      </details>
    </article>
  );
}
