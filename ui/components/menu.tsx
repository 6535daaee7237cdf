import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface MenuProps {
  /** What tests call it. */
  id: string;
  /** What it is called where its button shows something else. */
  label?: string;
  /** What its button shows. */
  button: ComponentChildren;
  /** The look of its button. */
  look?: string;
  class?: string;
  onOpen?: () => void;
  /** A form stays open while it is filled in; a list of actions closes with each. */
  stays?: boolean;
  children: ComponentChildren;
}

/** A button that opens a panel below it. Escape, another click and a focus elsewhere close it. */
export function Menu({
  id,
  label,
  button,
  look = "button",
  class: name,
  onOpen,
  stays,
  children,
}: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (element.current) element.current.open = false;
  };
  useEffect(() => {
    const press = ({ target }: PointerEvent) => {
      if (!element.current?.contains(target as Node)) close();
    };
    addEventListener("pointerdown", press);
    return () => removeEventListener("pointerdown", press);
  }, []);
  return (
    <details
      ref={element}
      class={`menu ${name ?? ""}`}
      onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}
      onFocusOut={({ relatedTarget }) => {
        // A dialog that a menu has opened takes the focus: the menu may go.
        if (relatedTarget && !element.current?.contains(relatedTarget as Node)) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !element.current?.open) return;
        event.stopPropagation();
        close();
        element.current.querySelector("summary")?.focus();
      }}
    >
      <summary class={look} aria-label={label} title={label} data-testid={`menu-${id}`}>
        {button}
      </summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the buttons in it */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a button's key is a click, too */}
      <div
        class="popover menu-panel"
        onClick={({ target }) => {
          if (stays || !(target as Element).closest("button, a")) return;
          close();
          element.current?.querySelector("summary")?.focus();
        }}
      >
        {children}
      </div>
    </details>
  );
}
