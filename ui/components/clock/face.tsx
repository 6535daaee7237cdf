import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { longDate, timeText } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { Hourglass } from "../icon.tsx";

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
