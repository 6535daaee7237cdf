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
    const timer = setInterval(() => {
      real.value = new Date();
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  const text = useComputed(() => real.value.toLocaleTimeString("en-GB"));
  return <span class="real">real time {text}</span>;
}

/** Whether the page hears what happens. */
export function ConnectionState() {
  const { live } = useApp();
  const { state, attempt } = live.connection.value;
  if (state === "lost")
    return (
      <span class="connection lost" role="alert">
        <i aria-hidden="true" />
        Connection lost, trying again{attempt > 1 ? ` (${attempt})` : ""}
        <button type="button" class="link" onClick={live.retryNow}>
          Try now
        </button>
      </span>
    );
  if (state === "silent" || state === "ended")
    return (
      <span class="connection lost" role="alert">
        <i aria-hidden="true" />
        {state === "silent" ? "The sandbox is not answering" : "This world has ended"}
      </span>
    );
  return (
    <span class={`connection ${state}`} role="status">
      <i aria-hidden="true" />
      {state === "open" ? "connected" : "connecting"}
    </span>
  );
}
