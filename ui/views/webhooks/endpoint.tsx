import { useEffect } from "preact/hooks";
import { inboxOf } from "../../../src/timeline/attempt.ts";
import type { Group } from "../../../src/timeline/groups.ts";
import type { Webhook } from "../../api-types.ts";
import { useApp, useKeys, useModel } from "../../components/context.ts";
import { Icon } from "../../components/icon.tsx";
import { Inbox } from "../../components/inbox-messages.tsx";
import { Problem } from "../../components/parts.tsx";
import { Timeline } from "../../components/timeline/timeline.tsx";
import { useInSight } from "../../components/use-arrival.ts";
import { href } from "../../models/router.ts";
import { linkTimeline } from "../../models/timeline/address.ts";
import { createTimeline } from "../../models/timeline/timeline.ts";
import { isGhost } from "../../models/webhooks/story.ts";
import { FaultSwitch } from "../../models/webhooks/switch.ts";
import { Ahead, Attempt } from "./attempt.tsx";
import { Attempts, placeOf } from "./attempts.tsx";
import { DisablingBanner } from "./disabling.tsx";
import { EndpointHead } from "./head.tsx";
import { OutageCard } from "./outage.tsx";
import { Send } from "./send.tsx";

const LISTS = [
  ["attempts", "Attempts"],
  ["inbox", "What the inbox received"],
] as const;

/** One endpoint: its state, its fault switch and its timeline, next to the form or attempt that is open. */
export function Endpoint({ webhook, parts }: { webhook: Webhook; parts: string[] }) {
  const app = useApp();
  const { api, live, router, toasts } = app;
  const { id } = webhook;
  const timeline = useModel(() => createTimeline(app, id), [id]);
  const fault = useModel(() => new FaultSwitch(api, live, toasts, id), [id]);
  useEffect(() => linkTimeline(router, timeline), [timeline]);
  const { query } = router.route.value;
  const side = query.get("list") === "inbox" ? "inbox" : "attempts";
  const [selected, ahead, attempt] = parts;
  const closed = router.inEndpoint(id);
  const beside = useInSight<HTMLElement>(selected);
  const inbox = inboxOf(webhook.url);
  // While the line is not at the current time, show the endpoint's state as of the line.
  const then = timeline.until.value === undefined ? undefined : timeline.timeline.value;
  const shown: Webhook = !then
    ? webhook
    : {
        ...webhook,
        status: then.status === "deleted" ? "disabled" : then.status,
        consecutive_failures: then.counter.consecutive_failures,
      };
  const error = timeline.data.error.value;

  useKeys(
    () =>
      selected === undefined
        ? {}
        : { Escape: () => (app.stage.playing.peek() ? app.stage.skip() : router.go(closed)) },
    [selected, closed],
  );

  /** Opens an attempt. For a group, zooms in first if this separates the attempts. */
  const open = ({ marks }: Group) => {
    const [first] = marks;
    if (isGhost(first!.eventId)) return;
    const last = marks.at(-1)!;
    const apart = last.at - first!.at;
    const seen = timeline.view.time.value;
    if (marks.length > 1 && apart > 0 && seen.to - seen.from > apart * 1.5)
      return timeline.view.show({ from: first!.at - apart, to: last.at + apart });
    const worst = marks.find(({ tone }) => tone === "bad") ?? first!;
    router.go(router.inEndpoint(id, ...placeOf(worst)));
  };

  return (
    <div class="view endpoint">
      <EndpointHead webhook={shown} fault={fault} />
      <div class={selected === undefined ? "endpoint-body" : "endpoint-body open"}>
        <div class="endpoint-picture">
          {error && <Problem error={error} retry={timeline.data.refresh} />}
          <Timeline
            model={timeline}
            selected={selected === "ahead" ? undefined : selected}
            onOpen={open}
            onFlag={({ kind }) => {
              if (kind === "mail") router.go(href(["log"], { kind: "mail", search: id }));
            }}
          >
            <OutageCard webhook={webhook} model={timeline}>
              <DisablingBanner webhook={webhook} model={timeline} fault={fault} />
            </OutageCard>
          </Timeline>
        </div>
        {selected !== undefined && (
          <aside ref={beside} class="beside" aria-label="Details">
            <a class="button quiet beside-close" href={closed} aria-label="Close the details" title="Esc">
              <Icon name="cross" />
            </a>
            {selected === "send" ? (
              <Send webhook={webhook} model={timeline} />
            ) : selected === "ahead" ? (
              <Ahead
                model={timeline}
                eventId={ahead ?? ""}
                attempt={Number(attempt)}
                onMade={(deliveryId) => router.replace(router.inEndpoint(id, deliveryId))}
              />
            ) : (
              <Attempt webhook={webhook} deliveryId={selected} />
            )}
          </aside>
        )}
        <div class="endpoint-list">
          <div class="flow">
            {inbox !== undefined && (
              <div class="tabs" role="tablist" aria-label="What is listed">
                {LISTS.map(([name, title]) => (
                  <button
                    key={name}
                    type="button"
                    role="tab"
                    aria-selected={name === side}
                    onClick={() =>
                      router.replace(
                        href(["webhooks", id, ...parts], { list: name === "inbox" ? name : undefined }),
                      )
                    }
                  >
                    {title}
                  </button>
                ))}
              </div>
            )}
            <a class="button quiet" href={href(["log"], { search: id })}>
              Its calls and mail, in the log
            </a>
          </div>
          {side === "inbox" && inbox !== undefined ? (
            <Inbox name={inbox} />
          ) : (
            <Attempts model={timeline} webhookId={id} selected={selected} />
          )}
        </div>
      </div>
    </div>
  );
}
