import { useEffect, useRef } from "preact/hooks";
import { RATES, requestWords } from "../../models/advances.ts";
import { number } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { useDialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { useSending } from "../sending.ts";
import { AdvanceButtons, Progress } from "./advance.tsx";
import { ConnectionState, Face, RealTime } from "./face.tsx";
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
