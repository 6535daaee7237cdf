import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sandglass";

export type Keep = Pick<Storage, "getItem" | "setItem">;

/** How this person likes the page; kept in the browser, if it lets us. */
export function createPrefs(keep: Keep) {
  const stored = readStored(keep, KEY);
  const theme = signal<Theme>(THEMES.find((name) => name === stored.theme) ?? "system");
  const presenting = signal(stored.presenting === true);
  const letters = signal(stored.letters !== false);

  const stop = effect(() =>
    store(keep, KEY, { theme: theme.value, presenting: presenting.value, letters: letters.value }),
  );

  return {
    /** Whether the first view has replayed its timeline: it does so once. */
    hasReplayed: false,
    theme,
    presenting,
    /** Whether a single letter does something. */
    letters,
    nextTheme(): void {
      theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
    },
    togglePresenting(): void {
      presenting.value = !presenting.value;
    },
    close: stop,
  };
}

/** What the browser has under a name: an empty object, if it is nothing that makes sense. */
export function readStored<Value>(keep: Keep, name: string): Record<string, Value> {
  try {
    return Object(JSON.parse(keep.getItem(name) ?? "{}"));
  } catch {
    return {};
  }
}

/** A browser that keeps nothing shows the same page, and knows less next time. */
export function store(keep: Keep, name: string, value: object): void {
  try {
    keep.setItem(name, JSON.stringify(value));
  } catch {}
}
