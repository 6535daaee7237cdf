import type { Plugin } from "vite";

/**
 * Writes non-ASCII characters as `\u2026`, which means the same in strings, templates and patterns. If a file contains
 * one, V8 stores the file with two bytes per character, which makes starting 3 % slower and uses 4 MB more memory.
 */
export const asAscii = (): Plugin => ({
  name: "as-ascii",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = file.code.replace(/[\u0080-\uffff]/g, escaped);
  },
});

const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
