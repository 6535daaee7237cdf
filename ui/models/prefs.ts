import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sandglass";

export type Keep = Pick<Storage, "getItem" | "setItem">;

/** How this person likes the page; kept in the browser, if it lets us. */
export function createPrefs(keep: Keep) {
  const stored = read(keep);
  const theme = signal<Theme>(THEMES.find((name) => name === stored.theme) ?? "system");
  const presenting = signal(stored.presenting === true);
  const letters = signal(stored.letters !== false);

  const stop = effect(() => {
    const text = JSON.stringify({
      theme: theme.value,
      presenting: presenting.value,
      letters: letters.value,
    });
    try {
      keep.setItem(KEY, text);
    } catch {
      // A browser that keeps nothing shows the same page, with the system's theme next time.
    }
  });

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

function read(keep: Keep): Record<string, unknown> {
  try {
    return (JSON.parse(keep.getItem(KEY) ?? "{}") ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
