import type { AuditEvent, CallDetail, JournalEntry, Mail } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Headers, Id, Ids } from "../../components/ids.tsx";
import { Arrived } from "../../components/inbox-messages.tsx";
import { ButtonLink, Empty, Facts, Loaded, Text, Time } from "../../components/parts.tsx";
import { withKey } from "../../models/curl.ts";
import { describeEntry } from "../../models/describe.ts";
import type { LogRow } from "../../models/log.ts";
import { href } from "../../models/router.ts";
import { readable } from "../../models/webhooks/attempt.ts";

interface DetailsProps {
  kind: string;
  id: string;
  rows: readonly LogRow[];
}

/** The details of the open row: a call with its response, an entry with its data, an e-mail, or an audit event. */
export function Details({ kind, id, rows }: DetailsProps) {
  const row = rows.find((one) => one.kind === kind && String(one.id) === id);
  if (kind === "call") return <CallSheet id={Number(id)} />;
  if (kind === "mail") return <Letter id={id} />;
  if (row?.kind === "audit") return <AuditSheet audit={row.audit} />;
  if (kind === "entry")
    return <EntryById seq={Number(id)} known={row?.kind === "entry" ? row.entry : undefined} />;
  return <Empty title="This is no longer in the log." />;
}

const wallText = (iso: string): string => iso.replace("T", " ").replace("Z", "");

function CallSheet({ id }: { id: number }) {
  const { api } = useApp();
  const detail = useReading(() => api.callDetail(id), [id]);
  return <Loaded of={detail}>{(call) => <CallParts call={call} />}</Loaded>;
}

function CallParts({ call }: { call: CallDetail }) {
  const { status } = useApp();
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
      {call.response_body !== null && (
        <CodeBlock text={readable(call.response_body)} what="the response" label="Response" />
      )}
      {call.body !== null && (
        <CodeBlock text={readable(call.body)} what="the request body" label="Request body" />
      )}
      <CodeBlock
        text={withKey(call.curl, status.value.keys?.write ?? "")}
        what="the call as a curl command"
        label="Repeat it with curl; the key reads and writes"
      />
      <Facts
        of={[
          ["Virtual time", <Time key="at" at={call.at} exact />],
          ["Real time", wallText(call.wall)],
          ["Area", call.area],
          !!call.hint && ["Hint", call.hint],
        ]}
      />
      <details>
        <summary>Request headers</summary>
        <Headers of={call.headers} label="Request headers" />
      </details>
    </article>
  );
}

/** A journal entry, which may be older than those that the page keeps in memory. */
function EntryById({ seq, known }: { seq: number; known: JournalEntry | undefined }) {
  const { api } = useApp();
  const reading = useReading(
    async () => known ?? (await api.events({ after: seq - 1, limit: 1 }))[0] ?? null,
    [seq],
  );
  const entry = known ?? reading.value.value;
  if (entry?.seq === seq) return <EntrySheet entry={entry} />;
  return <Loaded of={reading}>{() => <Empty title="This is no longer in the log." />}</Loaded>;
}

function EntrySheet({ entry }: { entry: JournalEntry }) {
  const { title, href: target } = describeEntry(entry);
  const { type, data } = entry;
  if (type === "mail.sent") return <Letter id={String(data.id)} />;
  return (
    <article class="sheet" aria-label="Entry">
      <header>
        <div>
          <Text as="h2" of={title} lines={3} />
          <p class="note">
            <Text of={type} />, entry {entry.seq}
          </p>
        </div>
        {target.startsWith("#/webhooks/") && <ButtonLink to={target}>Open</ButtonLink>}
      </header>
      {type === "inbox.received" && <Message entry={entry} />}
      <CodeBlock text={JSON.stringify(data, null, 2)} what="the data" label="Data" />
      <Facts
        of={[
          ["Virtual time", <Time key="at" at={entry.at} exact />],
          ["Real time", wallText(entry.wall)],
        ]}
      />
    </article>
  );
}

/** An inbox message. It is not addressed by the number of a journal entry. */
function Message({ entry: { at, data } }: { entry: JournalEntry }) {
  const { api } = useApp();
  const name = String(data.inbox);
  const reading = useReading(async () => {
    const messages = await api.inbox(name);
    const here = messages.filter(({ received_at: received }) => received === at);
    return (
      here.find(({ headers }) => Object.values(headers).includes(String(data.delivery_id))) ?? here[0] ?? null
    );
  }, [name, at]);
  return (
    <Loaded of={reading}>
      {(message) =>
        message ? (
          <Arrived inbox={name} message={message} />
        ) : (
          <p class="note">The inbox stores its latest 1,000 messages; this one is no longer among them.</p>
        )
      }
    </Loaded>
  );
}

/** An e-mail that the platform wrote. E-mails never leave this machine. */
function Letter({ id }: { id: string }) {
  const { api } = useApp();
  const mail = useReading(async () => (await api.mail()).find((one) => one.id === id) ?? null, [id]);
  return (
    <Loaded of={mail}>
      {(found) =>
        found ? <LetterSheet mail={found} /> : <Empty title="There is no such e-mail in this world." />
      }
    </Loaded>
  );
}

function LetterSheet({ mail }: { mail: Mail }) {
  return (
    <article class="sheet" aria-label="E-mail">
      <header>
        <div>
          <Text as="h2" of={mail.subject} />
          <p class="note">
            to <Text of={mail.to} />, <Time at={mail.created_at} exact />
          </p>
        </div>
        {mail.webhook_id && <ButtonLink to={href(["webhooks", mail.webhook_id])}>The endpoint</ButtonLink>}
      </header>
      <p class="letter-text">
        <bdi class="text">
          <Ids of={mail.text} />
        </bdi>
      </p>
      <p class="note">E-mails are not sent: none leaves this machine.</p>
    </article>
  );
}

function AuditSheet({ audit }: { audit: AuditEvent }) {
  return (
    <article class="sheet" aria-label="Audit event">
      <h2>{audit.event_type}</h2>
      <Facts
        of={[
          ["Resource", <Id key="id" of={audit.resource_id} />],
          ["Request", <Id key="request" of={`${audit.request_method} ${audit.request_path}`} />],
          ["Status", audit.status_code],
          ["From", audit.ip_address],
          ["Virtual time", <Time key="at" at={audit.created_at} exact />],
        ]}
      />
    </article>
  );
}
