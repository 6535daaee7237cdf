import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const readPage = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The code blocks in the given language, in order. */
export const blocksOf = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block]) => block!);

/** The part of a page between the markers with the given name. */
export const shownIn = (markdown: string, name: string): string =>
  markdown.split(`<!-- shown: ${name} -->`)[1]!.split("<!-- /shown -->")[0]!;

/** Shell commands that write a file. */
export const written = (file: string, text: string): string =>
  `mkdir -p "$(dirname ${file})"\ncat > ${file} <<'END'\n${text}END\n`;

/** Shell commands that start the server in `shop.mjs`, replacing the previous one. */
export const startShop = (shop: string): string => `${written("shop.mjs", shop)}
[ -z "\${SHOP:-}" ] || { kill $SHOP; wait $SHOP || true; }
node shop.mjs & SHOP=$!
curl -s -o /dev/null --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:3000/state
`;

/** The output of a command without the parts that differ between runs: the port and real time. */
export const comparable = (text: string): string[] =>
  text
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:3000")
    .replaceAll(/\bin [\d.]+ (?:ms|s)\b/g, "in … s")
    .trim()
    .split("\n");

/** Expects every line of output that a page shows, in the same order. The command may print more. */
export function expectLines(output: string, shown: string): void {
  let rest = comparable(output);
  for (const line of comparable(shown)) {
    expect(rest).toContain(line);
    rest = rest.slice(rest.indexOf(line) + 1);
  }
}

/** The commands in a page's console blocks, each with the output that the page shows. */
export function consoleOf(markdown: string): { command: string; printed: string }[] {
  return blocksOf(markdown, "console")
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((text) => {
      const [command = "", ...lines] = text.split("\n");
      return { command, printed: lines.join("\n") };
    });
}
