import { unlessThrown } from "../../src/runtime/unless-thrown.ts";
import type { Behaviour, InboxMessage } from "../api-types.ts";
import { curlOfArrived } from "../models/curl.ts";
import { readable } from "../models/webhooks/attempt.ts";
import { useApp, useLiveReading } from "./context.ts";
import { CodeBlock, Copy } from "./copy.tsx";
import { Headers } from "./ids.tsx";
import { Empty, Loaded, Pill, Time } from "./parts.tsx";

const SHOWN = 50;

const SIGNATURES: Record<string, string> = {
  valid: "signature valid",
  invalid: "signature invalid",
  missing: "not signed",
  unknown_webhook: "unknown endpoint",
};

export function behaviourWords({ status, sequence, delay }: Behaviour): string {
  const parts = [`returns ${status ?? 200}`];
  if (sequence && sequence.length > 0) parts.unshift(`returns ${sequence.join(", ")} first, then`);
  if (delay) parts.push(`after ${delay} ms of real time`);
  return parts.join(" ").replace("then returns", "then");
}

/**
 * A built-in inbox: how it responds, and its messages, newest first. Each message expands to show its headers and body.
 */
export function Inbox({ name }: { name: string }) {
  const { api } = useApp();
  const inbox = useLiveReading(
    ({ type, data }) => type.startsWith("inbox.") && data.inbox === name,
    () => Promise.all([api.inbox(name), api.behaviour(name)]),
    [name],
  );
  return (
    <Loaded of={inbox}>
      {([messages, behaviour]) => (
        <div class="stack">
          <p class="note">It {behaviourWords(behaviour)}.</p>
          {messages.length === 0 ? (
            <Empty title="This inbox is empty.">
              Point an endpoint at <code>/_sandbox/inbox/{name}</code>, and make a payment.
            </Empty>
          ) : (
            <div class="stack">
              <ul class="rows">
                {messages
                  .slice(-SHOWN)
                  .reverse()
                  .map((message) => (
                    <Message key={message.seq} inbox={name} message={message} />
                  ))}
              </ul>
              {messages.length > SHOWN && (
                <p class="note">
                  Showing the latest {SHOWN} of {messages.length}.
                </p>
              )}
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

function eventOf(body: string): string {
  const { event } = Object(unlessThrown(() => JSON.parse(body))) as { event?: unknown };
  return typeof event === "string" ? event : "message";
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

export function Arrived({ inbox, message: { headers, body } }: { inbox: string; message: InboxMessage }) {
  const { status } = useApp();
  const url = `${status.value.url}/_sandbox/inbox/${inbox}`;
  return (
    <div class="stack">
      <p class="actions">
        <Copy
          text={curlOfArrived({ method: "POST", url, headers, body })}
          what="the request as a curl command"
          label="Copy as curl"
        />
      </p>
      <CodeBlock text={readable(body)} what="the body" label="Body" />
      <details>
        <summary>Headers</summary>
        <Headers of={headers} label="Request headers" />
      </details>
    </div>
  );
}
