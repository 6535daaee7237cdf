import { effect, signal } from "@preact/signals";
import { unlessThrown } from "../../src/runtime/unless-thrown.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sandglass";

export type Keep = Pick<Storage, "getItem" | "setItem">;

/** The user's preferences, saved in the browser's storage if it is available. */
export function createPrefs(keep: Keep) {
  const stored = readStored(keep, KEY);
  const theme = signal<Theme>(THEMES.find((name) => name === stored.theme) ?? "system");
  const presenting = signal(stored.presenting === true);
  const letters = signal(stored.letters !== false);

  const stop = effect(() =>
    store(keep, KEY, { theme: theme.value, presenting: presenting.value, letters: letters.value }),
  );

  return {
    /** Whether the home view has already replayed its timeline, which it does only once. */
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

/** Reads a stored object. Returns an empty object if the stored value cannot be used. */
export function readStored<Value>(keep: Keep, name: string): Record<string, Value> {
  return Object(unlessThrown(() => JSON.parse(keep.getItem(name) ?? "{}")));
}

/** Saves an object. Without storage, the page works the same but remembers nothing. */
export function store(keep: Keep, name: string, value: object): void {
  try {
    keep.setItem(name, JSON.stringify(value));
  } catch {}
}
