import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Tone } from "../../src/timeline/entries.ts";
import { brief, exactStamp, toMs } from "../models/format.ts";
import type { Reading } from "../models/reading.ts";
import { useApp, useOpenedApp } from "./context.ts";
import { Icon, type IconName } from "./icon.tsx";
import { useKeptFocus } from "./keep-focus.ts";
import { dropRepeated, useFormSending, useSending } from "./sending.ts";

const INVISIBLE = /^[\s\p{Cf}]+$/u;

interface TextProps {
  of: string;
  lines?: number;
  /** The element that wraps the text, and its attributes. */
  as?: "h1" | "h2" | "b";
  class?: string;
  title?: string;
}

/**
 * Untrusted text, isolated so that control and bidirectional characters can neither hide it nor affect the text around
 * it.
 */
export function Text({ of, lines, as, ...rest }: TextProps) {
  const text = (
    <bdi class={lines ? "text clamp" : "text"} style={lines ? { WebkitLineClamp: String(lines) } : undefined}>
      {INVISIBLE.test(of) ? "(no visible text)" : of}
    </bdi>
  );
  const Around = as as "b" | undefined;
  return Around ? <Around {...rest}>{text}</Around> : text;
}

/** Matches the distinctive part at the end of a URL: the last two path segments, unless they are long. */
const END = /(?:\/[^/]*){1,2}$/;
const LONGEST_END = 24;

/** A URL on one line. If it does not fit, it is shortened in the middle. */
export function Address({ of }: { of: string }) {
  const end = END.exec(of)?.[0].slice(-LONGEST_END) ?? "";
  return (
    <bdi class="text address" title={of}>
      <span>{of.slice(0, of.length - end.length)}</span>
      <span>{end}</span>
    </bdi>
  );
}

export function Pill({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`pill ${tone}`}>{children}</span>;
}

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "icon"> & {
  icon?: IconName;
  look?: "plain" | "main" | "danger" | "quiet";
  /** The click handler. The button stays busy until the promise resolves, so calls never overlap. */
  onSend?: (() => Promise<unknown>) | undefined;
};

export function Button({ icon, look = "plain", children, class: className, onSend, ...rest }: ButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  useKeptFocus(element, Boolean(rest.disabled));
  const own = useSending(() => onSend?.());
  const form = useFormSending();
  const submits = rest.type === "submit";
  const busy = own.busy.value || (submits && form?.busy.value);
  const click = onSend ? own.send : submits ? dropRepeated : undefined;
  return (
    <button
      ref={element}
      type="button"
      class={`button ${look} ${className ?? ""}`}
      aria-busy={busy || undefined}
      {...(click ? { onClick: click } : {})}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface ButtonLinkProps {
  to: string;
  look?: "main";
  children: ComponentChildren;
}

export function ButtonLink({ to, look, children }: ButtonLinkProps) {
  return (
    <a class={`button ${look ?? ""}`} href={to}>
      {children}
    </a>
  );
}

interface EmptyProps {
  title: string;
  /** One or two sentences about what would be shown here and how to get it. */
  children?: ComponentChildren;
  /** Buttons or links below the text. */
  actions?: ComponentChildren;
}

export function Empty({ title, children, actions }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
      {actions}
    </div>
  );
}

/** A name and its value, or false if the fact does not apply. */
export type Fact = readonly [name: string, value: ComponentChildren] | false;

export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** An inline error. `retry` also runs automatically once the connection to the server is back. */
export function Problem({ error, retry }: { error: Error & { hint?: string }; retry?: () => void }) {
  const app = useOpenedApp();
  useEffect(() => retry && app?.live.onReturned(retry));
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      {error.hint && <p class="note">{error.hint}</p>}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      Reading…
    </p>
  );
}

/** A placeholder while something is loading, or the error if loading failed. */
export function Unread({ of: { error, read } }: { of: Pick<Reading<unknown>, "error" | "read"> }) {
  return error.value ? <Problem error={error.value} retry={() => void read()} /> : <Loading />;
}

interface LoadedProps<Value> {
  of: Reading<Value>;
  children: (value: Value) => ComponentChildren;
}

/** Shows the loaded content. While it is loading, shows a placeholder; if loading failed, shows the error. */
export function Loaded<Value>({ of, children }: LoadedProps<Value>) {
  const value = of.value.value;
  return of.error.value || value === undefined ? <Unread of={of} /> : children(value);
}

interface ViewHeadProps {
  title: string;
  /** One sentence about the view. */
  note?: string;
  /** Breadcrumb links. */
  path?: ComponentChildren;
}

export function ViewHead({ title, note, path }: ViewHeadProps) {
  return (
    <header class="view-head">
      <div>
        {path && <p class="note">{path}</p>}
        <Text as="h1" of={title} lines={3} />
        {note && <p class="note">{note}</p>}
      </div>
    </header>
  );
}

/** A virtual time in short form. Hovering shows it in full. */
export function Time({ at, exact = false }: { at: string | number; exact?: boolean }) {
  const { clock } = useApp();
  const ms = typeof at === "string" ? toMs(at) : at;
  return (
    <time class="time" dateTime={new Date(ms).toISOString()} title={`${exactStamp(ms)} UTC, virtual time`}>
      {exact ? exactStamp(ms) : brief(ms, clock.day.value)}
    </time>
  );
}
