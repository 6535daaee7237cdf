import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ticksOf } from "../../../src/timeline/ticks.ts";
import { aroundNow, createStrip } from "../../models/timeline/strip.ts";
import { groupText } from "../../models/timeline/words.ts";
import { useApp, useModel } from "../context.ts";
import { MarkFace, markClass } from "./marks.tsx";

/** The width that an element has now, in pixels. */
function useWidth<Element extends HTMLElement>() {
  const element = useRef<Element>(null);
  const width = useSignal(0);
  useEffect(() => {
    const observer = new ResizeObserver(() => (width.value = element.current?.clientWidth ?? 0));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

/** The timeline of an endpoint in small: what was in the last hour, what comes in the next. */
export function Strip({ webhookId }: { webhookId: string }) {
  const app = useApp();
  const { clock } = app;
  const strip = useModel(() => createStrip(app, webhookId), [webhookId]);
  const { element, width } = useWidth<HTMLDivElement>();
  const now = clock.second.value;
  const { from, to } = aroundNow(now);
  const pixels = width.value / (to - from);
  const x = (at: number) => `${Math.round((at - from) * pixels)}px`;
  // Half a mark from the edges, so that "12×" is not read as "2×".
  const inside = (at: number) => `clamp(1.0625rem, ${x(at)}, 100% - 1.0625rem)`;
  const groups = width.value > 0 ? strip.groups(pixels) : [];
  const disabledAt = strip.disabledAt.value;
  return (
    <div
      ref={element}
      class="strip"
      role="img"
      aria-label={groups.map((group) => groupText(group, now)).join("; ") || "Nothing around now"}
    >
      <i class="now" style={{ translate: x(now) }} />
      {disabledAt && <i class="disabled-at" style={{ left: x(Date.parse(disabledAt)) }} />}
      {groups.map((group) => (
        <i key={group.key} class={markClass(group)} style={{ left: inside(group.at) }}>
          <MarkFace group={group} />
        </i>
      ))}
    </div>
  );
}

/** The axis above the strips. */
export function StripAxis() {
  const { clock } = useApp();
  const { element, width } = useWidth<HTMLDivElement>();
  const { from, to } = aroundNow(clock.second.value);
  const pixels = width.value / (to - from);
  return (
    <div ref={element} class="strip-axis" aria-hidden="true">
      {width.value > 0 &&
        ticksOf(from, to, pixels).map(({ at, label, strong }) => (
          <span
            key={at}
            class={`tick${strong ? " strong" : ""}`}
            style={{ left: `${(at - from) * pixels}px` }}
          >
            {label}
          </span>
        ))}
    </div>
  );
}
