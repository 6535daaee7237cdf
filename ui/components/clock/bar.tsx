import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { RATES, requestWords } from "../../models/advances.ts";
import { longDate, number, timeText } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { useDialog } from "../dialog.tsx";
import { Hourglass, Icon } from "../icon.tsx";
import { useSending } from "../sending.ts";
import { AdvanceButtons, Progress } from "./advance.tsx";
import { ToDate } from "./to-date.tsx";
import { BackToDefault, WorldMenu } from "./world-menu.tsx";

/** The clock, always there: what time it is, how it runs, and the ways to move it. */
export function ClockBar() {
  const { ledger, live } = useApp();
  const hasEnded = live.connection.value.state === "ended";
  const asking = useDialog();
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const bar = element.current!;
    const observer = new ResizeObserver(() => {
      document.documentElement.style.setProperty(
        "--bar-height",
        `calc(${bar.offsetHeight}px + var(--summary-height))`,
      );
    });
    observer.observe(bar);
    return () => observer.disconnect();
  }, []);
  const busy = ledger.busy.value;
  return (
    <section ref={element} class="bar" aria-label="Virtual clock">
      <Face />
      <div class="bar-state">
        {!hasEnded && <Running />}
        <div class="bar-facts">
          <RealTime />
          {!hasEnded && <WorldMenu />}
          <BackToDefault />
          <ConnectionState />
        </div>
      </div>
      {!hasEnded && <AdvanceButtons onToDate={() => asking.open(true)} />}
      <p class="bar-busy" role="status" data-busy={busy !== undefined}>
        {busy ? `Advancing ${requestWords(busy)}…` : ""}
      </p>
      <Progress />
      {asking.target.value && <ToDate onClose={asking.close} />}
    </section>
  );
}

/** Pause and resume, and how fast it runs. */
function Running() {
  const { clock, toasts } = useApp();
  const { mode, rate } = clock.state.value;
  const paused = mode === "paused";
  const { busy, send } = useSending(() => toasts.attempt(paused ? clock.resume : clock.pause));
  const rates = RATES.includes(rate) ? RATES : [...RATES, rate].sort((a, b) => a - b);
  return (
    <div class="running">
      <button type="button" class="step run" aria-busy={busy.value || undefined} onClick={send}>
        <Icon name={paused ? "play" : "pause"} />
        {paused ? "Resume" : "Pause"}
      </button>
      <span class={`mode ${mode}`} role="status">
        {paused ? "paused" : rate === 1 ? "live" : `${number(rate)} times real time`}
      </span>
      <label class="rate">
        <span class="vh">Speed</span>
        <select
          value={String(rate)}
          onChange={({ currentTarget }) => {
            void toasts.attempt(() => clock.setRate(Number(currentTarget.value)));
          }}
        >
          {rates.map((value) => (
            <option key={value} value={String(value)}>
              ×{number(value)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The virtual time, large, and below it the real time, small. */
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

/** The machine's own time; it only serves to compare. */
export function RealTime() {
  const real = useSignal(new Date());
  useEffect(() => {
    const timer = setInterval(() => (real.value = new Date()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const text = useComputed(() => real.value.toLocaleTimeString("en-GB"));
  return <span class="real">real time {text}</span>;
}

const STATES = {
  connecting: "connecting",
  open: "connected",
  lost: "Connection lost, trying again",
  silent: "The sandbox is not answering",
  ended: "This world has ended",
};

/** Whether the page hears what happens. */
export function ConnectionState() {
  const { live } = useApp();
  const { state, attempt } = live.connection.value;
  const fine = state === "open" || state === "connecting";
  return (
    <span key={String(fine)} class={`connection ${fine ? state : "lost"}`} role={fine ? "status" : "alert"}>
      <i aria-hidden="true" />
      {STATES[state]}
      {state === "lost" && attempt > 1 && ` (${attempt})`}
      {state === "lost" && (
        <button type="button" class="link" onClick={live.retryNow}>
          Try now
        </button>
      )}
    </span>
  );
}
