import type { ComponentChildren } from "preact";

interface ViewHeadProps {
  title: string;
  /** What the view is about, in a sentence. */
  note: string;
  /** What can be done, at the right. */
  children?: ComponentChildren;
}

/** The head of a view. */
export function ViewHead({ title, note, children }: ViewHeadProps) {
  return (
    <header class="view-head">
      <div>
        <h1>{title}</h1>
        <p class="note">{note}</p>
      </div>
      {children}
    </header>
  );
}
