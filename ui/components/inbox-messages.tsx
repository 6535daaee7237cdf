import type { InboxMessage } from "../api-types.ts";
import { curlOfArrived } from "../models/curl.ts";
import type { InboxModel } from "../models/inbox.ts";
import { readable } from "../models/webhooks/attempt.ts";
import { useApp } from "./context.ts";
import { CodeBlock, Copy } from "./copy.tsx";
import { Headers } from "./ids.tsx";
import { Empty, Pill, Time, Unread } from "./parts.tsx";

const SHOWN = 50;

const SIGNATURES: Record<string, string> = {
  valid: "signature valid",
  invalid: "signature invalid",
  missing: "not signed",
  unknown_webhook: "unknown endpoint",
};

/** What an inbox got, newest first; each opens to its headers and body. */
export function InboxMessages({ name, model }: { name: string; model: InboxModel }) {
  const messages = model.messages.value;
  if (model.error.value || !messages) return <Unread of={model} />;
  if (messages.length === 0)
    return (
      <Empty title="This inbox is empty.">
        Point an endpoint at <code>/_sandbox/inbox/{name}</code>, and make a payment.
      </Empty>
    );
  const latest = messages.slice(-SHOWN).reverse();
  return (
    <div class="stack">
      <ul class="rows">
        {latest.map((message) => (
          <Message key={message.seq} inbox={name} message={message} />
        ))}
      </ul>
      {messages.length > SHOWN && (
        <p class="note">
          Showing the latest {SHOWN} of {messages.length}.
        </p>
      )}
    </div>
  );
}

function eventOf(body: string): string {
  try {
    const { event } = JSON.parse(body) as { event?: unknown };
    return typeof event === "string" ? event : "message";
  } catch {
    return "message";
  }
}

function Message({ inbox, message }: { inbox: string; message: InboxMessage }) {
  const { received_at: at, answered, signature, body } = message;
  return (
    <li>
      <details class="message">
        <summary class="flow">
          <Time at={at} />
          <span class="row-main ellipsis">{eventOf(body)}</span>
          <Pill tone={signature === "valid" ? "good" : "bad"}>{SIGNATURES[signature] ?? signature}</Pill>
          <span class="note">answered {answered}</span>
        </summary>
        <Arrived inbox={inbox} message={message} />
      </details>
    </li>
  );
}

/** A request as it arrived at an inbox. */
export function Arrived({ inbox, message: { headers, body } }: { inbox: string; message: InboxMessage }) {
  const { status } = useApp();
  const url = `${status.value.url}/_sandbox/inbox/${inbox}`;
  return (
    <div class="stack">
      <p class="actions">
        <Copy
          text={curlOfArrived({ method: "POST", url, headers, body })}
          what="the request as a curl line"
          label="Copy as curl"
        />
      </p>
      <CodeBlock text={readable(body)} what="the body" label="Body" />
      <details>
        <summary>Headers</summary>
        <Headers of={headers} label="Headers of the request" />
      </details>
    </div>
  );
}
