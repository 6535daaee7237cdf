import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { requestWords } from "../../models/advances.ts";
import { longDate, number, timeText } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { Hourglass, Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Places } from "../nav.tsx";
import { Button } from "../parts.tsx";
import { useSending } from "../sending.ts";
import { BackToDefault, WorldMenu } from "../worlds/menu.tsx";
import { AdvanceButtons, Progress } from "./advance.tsx";
import { Summary } from "./summary.tsx";
import { ToDate } from "./to-date.tsx";

/** The clock bar, which is always visible. It contains the time, the clock's state and the controls. */
export function ClockBar() {
  const { ledger, live, prefs } = useApp();
  const hasEnded = live.connection.value.state === "ended";
  const asksDate = useSignal(false);
  const element = useRef<HTMLElement>(null);
  // Elements below the bar are positioned by its height.
  useEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() =>
      style.setProperty("--clock-height", `${element.current!.offsetHeight}px`),
    );
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  const busy = ledger.busy.value;
  const presenting = prefs.presenting.value;
  return (
    <section ref={element} class="bar" aria-label="Virtual clock">
      <Face />
      {!hasEnded && <Running />}
      {!hasEnded && presenting && <Summary />}
      {!hasEnded && <AdvanceButtons onToDate={() => (asksDate.value = true)} />}
      <div class="bar-facts">
        {!hasEnded && !presenting && <WorldMenu />}
        <BackToDefault />
        <ConnectionState />
        {presenting && (
          <Menu id="places" label="Places" look="step" button={<Icon name="more" />}>
            <nav aria-label="Places">
              <Places />
            </nav>
            <Button onClick={prefs.togglePresenting}>End the presentation</Button>
          </Menu>
        )}
      </div>
      <p class="bar-busy" role="status" data-busy={busy !== undefined}>
        {busy ? `Advancing ${requestWords(busy)}…` : ""}
      </p>
      <Progress />
      {asksDate.value && <ToDate onClose={() => (asksDate.value = false)} />}
    </section>
  );
}

function Running() {
  const { clock, toasts } = useApp();
  const { mode, rate } = clock.state.value;
  const paused = mode === "paused";
  const { busy, send } = useSending(() => toasts.attempt(paused ? clock.resume : clock.pause));
  return (
    <div class="running">
      <button type="button" class="step run" aria-busy={busy.value || undefined} onClick={send}>
        <Icon name={paused ? "play" : "pause"} />
        {paused ? "Resume" : "Pause"}
      </button>
      <span class={`mode ${mode}`} role="status">
        {paused ? "paused" : rate === 1 ? "live" : `${number(rate)} times real time`}
      </span>
    </div>
  );
}

export function Face() {
  const { clock } = useApp();
  const second = clock.second.value;
  return (
    <div class="face">
      <Hourglass />
      <div>
        <p class="face-label">
          Virtual time <span class="face-date">{longDate(second)}</span>
        </p>
        <time class="face-time" dateTime={new Date(second).toISOString()} data-testid="virtual-time">
          {timeText(second)}
          <small>UTC</small>
        </time>
      </div>
    </div>
  );
}

/**
 * The state as one word in the bar, whose width is constant. Problems add a sentence below the bar without moving
 * anything.
 */
const STATES = {
  connecting: ["connecting"],
  open: ["connected"],
  lost: ["offline", "Connection lost, trying again"],
  silent: ["waiting", "The sandbox is not responding"],
  ended: ["ended", "This world has ended"],
} as const;

export function ConnectionState() {
  const { live } = useApp();
  const { state, attempt } = live.connection.value;
  const [word, trouble] = STATES[state];
  return (
    <>
      <span class={`connection ${trouble ? "lost" : state}`} role={trouble ? undefined : "status"}>
        <i aria-hidden="true" />
        {word}
      </span>
      {trouble && (
        <p class="popover trouble" role="alert">
          {trouble}
          {state === "lost" && attempt > 1 && ` (${attempt})`}
          {state === "lost" && (
            <button type="button" class="link" onClick={live.retryNow}>
              Try now
            </button>
          )}
        </p>
      )}
    </>
  );
}
