import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Token, tokensOf } from "../models/code.ts";
import { Icon } from "./icon.tsx";

const SAID_MS = 1_600;

type Said = "" | "Copied" | "Selected" | "Not allowed";

/** Selects the text next to a button, for browsers that deny access to the clipboard. */
function select(button: HTMLElement): Said {
  const code = button.closest(".copy-line, .code")?.querySelector("code");
  if (!code) return "Not allowed";
  getSelection()?.selectAllChildren(code);
  return "Selected";
}

/** A button that copies text and confirms it. If the browser denies access, it selects the text instead. */
export function Copy({ text, what, label }: { text: string; what: string; label?: string }) {
  const status = useSignal<Said>("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const copy = async (button: HTMLElement) => {
    try {
      await navigator.clipboard.writeText(text);
      status.value = "Copied";
    } catch {
      status.value = select(button);
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => (status.value = ""), SAID_MS);
  };

  return (
    <button
      type="button"
      class="button quiet copy"
      onClick={({ currentTarget }) => void copy(currentTarget)}
      data-status={status.value || undefined}
    >
      <Icon name={status.value === "Copied" ? "check" : "copy"} />
      <span>
        {status.value || label || "Copy"}
        {label === undefined && <span class="vh"> {what}</span>}
      </span>
      <span class="vh" role="status">
        {status.value}
      </span>
    </button>
  );
}

export function CopyLine({ text, what }: { text: string; what: string }) {
  return (
    <div class="copy-line">
      <code>{text}</code>
      <Copy text={text} what={what} />
    </div>
  );
}

export function Tokens({ of, ids = false }: { of: readonly Token[]; ids?: boolean }) {
  return (
    <>
      {of.map(({ text, kind, href }, at) =>
        ids && href !== undefined ? (
          <a key={at} class={`code-${kind}`} href={href}>
            {text}
          </a>
        ) : kind === "plain" ? (
          text
        ) : (
          <span key={at} class={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
    </>
  );
}

interface CodeBlockProps {
  text: string;
  what: string;
  label?: string;
  /** Whether the ids in the text belong to this world, so they become links. */
  ids?: boolean;
}

/** A copyable block, such as a command, a body or a program. */
export function CodeBlock({ text, what, label, ids = true }: CodeBlockProps) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return (
    <figure class="code">
      <figcaption>
        <span>{label ?? what}</span>
        <Copy text={text} what={what} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard */}
      <section tabIndex={0} aria-label={what}>
        <pre>
          <code>
            <Tokens of={tokens} ids={ids} />
          </code>
        </pre>
      </section>
    </figure>
  );
}
