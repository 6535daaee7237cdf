import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../components/parts.tsx";
import { useKeys } from "../../components/use-keys.ts";
import type { Replay } from "../../models/scenarios/replay.ts";

/** What a replay is led with, for as long as it lasts. Its keys take the place of the clock's. */
export function ReplayBar({ of: replay, steps }: { of: Replay; steps: number }) {
  const bar = useRef<HTMLDivElement>(null);
  const step = replay.step.value!;
  const playing = replay.playing.value;
  useKeys(() => {
    const { start, toggle, next, previous, end } = replay;
    return { Space: toggle, ArrowRight: next, ArrowLeft: previous, Home: start, End: end, Escape: end };
  }, [replay]);
  useEffect(() => {
    bar.current!.scrollIntoView();
    bar.current!.querySelector<HTMLElement>(".main")!.focus({ preventScroll: true });
    return () => document.querySelector<HTMLElement>(".replay-start")?.focus({ preventScroll: true });
  }, [replay]);
  useEffect(() => {
    const list = bar.current!.closest(".view")!.querySelector(".run-steps");
    list?.children[step]?.scrollIntoView({ block: "nearest" });
  }, [step, replay.shown.value]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div ref={bar} class="frame actions replay" role="group" aria-label="Replay">
      <Button
        look="quiet"
        icon="left"
        aria-label="Previous step"
        disabled={step === 0}
        onClick={replay.previous}
      />
      <Button look="main" icon={playing ? "pause" : "play"} onClick={replay.toggle}>
        {playing ? "Pause" : "Play"}
      </Button>
      <Button look="quiet" icon="right" aria-label="Next step" onClick={replay.next} />
      <p class="replay-place">
        Step <b>{step + 1}</b> of {steps}
      </p>
      <progress max={steps} value={step + 1} aria-hidden="true" />
      <Button look="quiet" icon="cross" aria-label="End the replay" onClick={replay.end} />
    </div>
  );
}
