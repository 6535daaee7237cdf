import { useRef } from "preact/hooks";
import type { Piece } from "../models/demo/demo.ts";
import { useApp } from "./context.ts";
import { useHeightAs } from "./measured.ts";
import { Button } from "./parts.tsx";
import "../style/demo.css";

/** The step of the demo: what to click, what to say, and a button that does it. */
export function DemoStepper({ onClose }: { onClose: () => void }) {
  const { demo } = useApp();
  const element = useRef<HTMLElement>(null);
  useHeightAs("--demo-height", element);
  const step = demo.step.value!;
  const { index, of } = demo.place.value;
  const last = index === of - 1;
  return (
    <section ref={element} class="flow demo" aria-label="Demo">
      <p class="demo-place">
        <b>
          {index + 1}/{of}
        </b>{" "}
        {step.at}
      </p>
      <div class="demo-words" aria-live="polite">
        <p class="demo-say">{step.say}</p>
        <p class="demo-click">
          {step.click.map((piece, at) => (
            <Click key={at} of={piece} />
          ))}
        </p>
      </div>
      <div class="demo-tools">
        <Button
          look="quiet"
          icon="left"
          aria-label="Previous step"
          disabled={index === 0}
          onClick={demo.back}
        />
        {last ? (
          <Button look="main" onClick={onClose} aria-busy={demo.busy.value || undefined}>
            Done
          </Button>
        ) : (
          <Button look="main" onSend={demo.forward} aria-busy={demo.busy.value || undefined}>
            Next
          </Button>
        )}
        <Button look="quiet" icon="cross" aria-label="End the demo" onClick={onClose} />
      </div>
    </section>
  );
}

function Click({ of: { text, kind } }: { of: Piece }) {
  if (kind === "text") return <>{text}</>;
  return kind === "button" ? <b>{text}</b> : <i>{text}</i>;
}
