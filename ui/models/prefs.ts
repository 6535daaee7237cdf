import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sandglass";

export type Keep = Pick<Storage, "getItem" | "setItem">;

/** User preferences, saved in the browser's storage if that is available. */
export function createPrefs(keep: Keep) {
  const stored = readStored(keep, KEY);
  const theme = signal<Theme>(THEMES.find((name) => name === stored.theme) ?? "system");
  const presenting = signal(stored.presenting === true);
  const letters = signal(stored.letters !== false);

  const stop = effect(() =>
    store(keep, KEY, { theme: theme.value, presenting: presenting.value, letters: letters.value }),
  );

  return {
    /** Whether the home view has already replayed its timeline; it does so once. */
    hasReplayed: false,
    theme,
    presenting,
    /** Whether single-letter shortcuts are enabled. */
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

/** Reads a stored object; an empty one if the stored value is unusable. */
export function readStored<Value>(keep: Keep, name: string): Record<string, Value> {
  try {
    return Object(JSON.parse(keep.getItem(name) ?? "{}"));
  } catch {
    return {};
  }
}

/** Saves an object. If the browser has no storage, the page works the same but remembers nothing. */
export function store(keep: Keep, name: string, value: object): void {
  try {
    keep.setItem(name, JSON.stringify(value));
  } catch {}
}
