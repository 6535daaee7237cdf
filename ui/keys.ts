/** Actions by key name: `Space`, `ArrowRight`, `Shift+ArrowRight`, `?`, `g l`. */
export type KeyMap = Record<string, () => void>;

/** How long the first key of a two-key sequence is remembered, in milliseconds. */
const PAIR_MS = 1_200;
const TYPING = "input, textarea, select, [contenteditable]";
const SEARCH = "input[type=search]";
/** Matches controls. While one has the focus, character keys must not trigger actions of the page. */
const CONTROLS = "button, a, summary, [role=button], [role=switch], [role=tab]";
const OWN_ARROWS = "[data-arrows], [role=tablist], [role=slider], [role=radiogroup]";

/** The properties of a keyboard event that are used here. */
export type KeyPress = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey"> &
  Pick<KeyboardEvent, "defaultPrevented" | "preventDefault"> & { target: unknown };

export interface KeysOptions {
  /** The time in real milliseconds, for measuring key sequences. */
  now: () => number;
  /** Whether character keys trigger actions. Users of speech input can turn them off (WCAG 2.1.4). */
  letters?: () => boolean;
}

/** Handles keys for the whole page, except while the user types or a control already handles the key. */
export function createKeys(map: KeyMap, { now, letters = () => true }: KeysOptions) {
  const firsts = new Set(
    Object.keys(map)
      .filter((name) => name.includes(" "))
      .map((name) => name.split(" ")[0]!),
  );
  let first: { key: string; at: number } | undefined;

  return (press: KeyPress): void => {
    if (press.defaultPrevented || press.ctrlKey || press.altKey || press.metaKey) return;
    const target = press.target as Element | null;
    const within = (selector: string) => target?.closest?.(selector) != null;
    if (press.key === "Escape" && within(SEARCH)) (target as HTMLElement).blur();
    if (within(TYPING) || within("dialog")) return;
    const writes = press.key.length === 1;
    if (writes && (within(CONTROLS) || !letters())) return;
    if (press.key.startsWith("Arrow") && within(OWN_ARROWS)) return;

    const key = press.key === " " ? "Space" : press.key;
    const named = press.shiftKey && key.length > 1 ? `Shift+${key}` : key;
    const pair = first && now() - first.at < PAIR_MS ? `${first.key} ${named}` : undefined;
    const act = (pair === undefined ? undefined : map[pair]) ?? map[named];
    first = !act && firsts.has(named) ? { key: named, at: now() } : undefined;
    if (!act) return;
    press.preventDefault();
    act();
  };
}
