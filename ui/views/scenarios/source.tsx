import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Copy, Tokens } from "../../components/copy.tsx";
import { Text } from "../../components/parts.tsx";
import type { Course } from "../../models/scenarios/course.ts";
import { lineMarks, scriptLines, shownStep } from "../../models/scenarios/source.ts";

interface SourceProps {
  text: string;
  file: string;
  course: Course;
  /** The step that is looked at, by its index. */
  looked: number | undefined;
}

/** A run's scenario in colour. The lines at which steps begin are marked, most of all that of the step that is shown. */
export function Source({ text, file, course, looked }: SourceProps) {
  const { machine } = useApp();
  const box = useRef<HTMLElement>(null);
  const lines = useMemo(() => scriptLines(text), [text]);
  const marks = lineMarks(course, file);
  const step = shownStep(course, looked);
  const now = step?.position?.file === file ? step.position.line : undefined;
  useLayoutEffect(() => {
    const section = box.current!;
    const line = section.querySelector<HTMLElement>(`[data-line="${now}"]`);
    if (!line) return;
    const top = line.offsetTop - section.clientHeight / 3;
    section.scrollTo({ top, behavior: machine.moves() ? "smooth" : "instant" });
  }, [now]);
  return (
    <figure class="code run-source">
      <figcaption>
        <span>
          <Text of={file} lines={1} />
          {now !== undefined && (
            <span class="run-source-place">
              {" "}
              step {step!.index + 1}, line {now}
            </span>
          )}
        </span>
        <Copy text={text} what="the source" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={box} tabIndex={0} aria-label="Source of the scenario">
        <pre>
          <code>
            {lines.map((tokens, at) => (
              <span
                key={at}
                class="source-line"
                data-line={at + 1}
                data-mark={marks.get(at + 1)}
                data-now={at + 1 === now || undefined}
              >
                <Tokens of={tokens} />
                {"\n"}
              </span>
            ))}
          </code>
        </pre>
      </section>
    </figure>
  );
}
