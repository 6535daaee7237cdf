import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface MenuProps {
  /** The id by which tests find the menu. */
  id: string;
  /** The accessible name, if it differs from the button's content. */
  label?: string;
  button: ComponentChildren;
  /** The style of the button. */
  look?: string;
  class?: string;
  onOpen?: () => void;
  /** Keeps the panel open on clicks inside it, which forms require. Without it, any action closes the menu. */
  stays?: boolean;
  children: ComponentChildren;
}

/**
 * A button that opens a panel below it. The panel closes on Escape, on a click outside, and when the focus moves
 * outside.
 */
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
        // A dialog that is opened from the menu takes the focus, which closes the menu.
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the interactive elements are the buttons inside */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: pressing a button by key fires a click, too */}
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
