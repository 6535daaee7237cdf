import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp, useModel } from "../../components/context.ts";
import { Choice, Field } from "../../components/field.tsx";
import { Button, Empty, Problem, Text, Time, ViewHead } from "../../components/parts.tsx";
import { useInSight } from "../../components/use-arrival.ts";
import { VirtualList } from "../../components/virtual-list.tsx";
import { describeEntry } from "../../models/describe.ts";
import { endpointIdOf } from "../../models/endpoints.ts";
import { count } from "../../models/format.ts";
import { KINDS, Log, type LogRow } from "../../models/log.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { Details } from "./details.tsx";
import "./log.css";

/**
 * The row heights in rem: the usual one, and the one for narrow windows, where the title has its own line. The
 * breakpoint must match the CSS.
 */
const ROW = 2.25;
const TALL_ROW = 3.5;
const isNarrow = (): boolean => innerWidth < 608;

/**
 * A single stream of everything that happened in the three areas: journal, API calls, e-mails, inboxes and audit
 * events.
 */
export default function LogView({ parts: [open, id] }: ViewProps) {
  const app = useApp();
  const log = useModel(() => new Log(app), []);
  const isOfSenders = app.status.value.senders.length > 0;
  const rows = log.rows.value;
  const choice = log.choice.value;
  const isNarrowed = Object.values(choice).some(Boolean);
  const unlisted = log.unlisted.value;
  const isOpen = open !== undefined && id !== undefined;
  const details = useInSight<HTMLDivElement>(open, id);
  const narrow = useSignal(isNarrow());
  useEffect(() => {
    const measure = () => (narrow.value = isNarrow());
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  return (
    <div class="view wide">
      <ViewHead title="Log" note="Everything that happened in this world, latest first." />
      <div class="filters">
        <Choice
          label="What is listed"
          of={log.field("kind")}
          options={isOfSenders ? KINDS.filter(([kind]) => kind !== "audit") : KINDS}
        />
        <Field label="Search" type="search" of={log.field("search")} placeholder="id, name, path, status" />
      </div>
      {log.error.value && <Problem error={log.error.value} retry={log.read} />}
      <div class={isOpen ? "split" : undefined}>
        <div class="stack">
          {rows.length > 0 ? (
            <VirtualList
              label="Log, latest first"
              items={rows}
              keyOf={(row) => `${row.kind}/${row.id}`}
              row={narrow.value ? TALL_ROW : ROW}
              height="max(20rem, calc(100dvh - var(--bar-height) - 14rem))"
              render={(row) => (
                <Row row={row} query={{ ...choice }} current={row.kind === open && String(row.id) === id} />
              )}
              onEnd={() => log.hasOlder.value && void log.older()}
            />
          ) : (
            !log.error.value && (
              <Empty title={isNarrowed ? "Nothing matches." : "Nothing has happened yet."}>
                {isNarrowed
                  ? `The log starts with the sandbox${isOfSenders ? "." : ": it does not contain what the demo shop did before."}`
                  : `${isOfSenders ? "Send an event" : "Make a payment"}, or call an API; everything that happens is listed here.`}
              </Empty>
            )
          )}
          {log.hasOlder.value && rows.length > 0 && <Button onSend={log.older}>Read older entries</Button>}
          {unlisted > 0 && <p class="note">{count(unlisted, "older event")}: GET /events lists all.</p>}
        </div>
        {isOpen && (
          <div ref={details} class="opened">
            <Details key={`${open}/${id}`} kind={open} id={id} rows={rows} />
          </div>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  row: LogRow;
  query: Record<string, string>;
  current: boolean;
}

function Row({ row, query, current }: RowProps) {
  const { endpoints } = useApp();
  const { tone, mark, title, note, type } = wordsOf(row);
  const endpoint = row.kind === "entry" ? endpoints.find(endpointIdOf(row.entry) ?? "") : undefined;
  return (
    <a
      class={`pick log-row ${tone}`}
      href={href(["log", row.kind, String(row.id)], query)}
      aria-current={current || undefined}
    >
      <Time at={row.at} />
      {mark === undefined ? (
        <i class={`dot ${tone}`} aria-hidden="true" />
      ) : (
        <span class={`code-mark ${tone}`}>{mark}</span>
      )}
      <span class="ellipsis">
        <Text of={title} />{" "}
        <span class="note">
          {endpoint && `${endpoint.url.replace(/^https?:\/\//, "")} `}
          {note}
        </span>
      </span>
      <span class="note log-type ellipsis">{type}</span>
    </a>
  );
}

/** A call's path within its area. The area is shown separately. */
const pathOf = (path: string): string =>
  path.replace(/^(?:\/w\/[^/]+)?\/(?:platform\/api\/v1|[a-z]+)(?=[/?]|$)/, "") || "/";

const toneOf = (status: number): "good" | "bad" => (status < 400 ? "good" : "bad");

interface Words {
  tone: string;
  /** The status of a call's response. */
  mark?: number;
  title: string;
  note: string;
  type: string;
}

function wordsOf(row: LogRow): Words {
  if (row.kind === "call") {
    const { method, path, status, area, hint = "" } = row.call;
    return { tone: toneOf(status), mark: status, title: `${method} ${pathOf(path)}`, note: hint, type: area };
  }
  if (row.kind === "audit") {
    const { event_type: type, resource_id: resource, status_code: status, ip_address: from } = row.audit;
    return { tone: toneOf(status), mark: status, title: type, note: resource, type: `from ${from}` };
  }
  const { title, detail, tone } = describeEntry(row.entry);
  return { tone, title, note: detail, type: row.entry.type };
}
