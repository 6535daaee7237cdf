import { readFileSync } from "node:fs";
import { join } from "node:path";

const HEAD = `# The public types

This page contains the declarations that a TypeScript program imports from each of the package's entries. Any change
to this file changes an interface that users rely on. \`npm run api\` writes it.
`;

const ENTRIES = {
  sandglass: "index",
  "sandglass/client": "client",
  "sandglass/vitest": "vitest",
  "sandglass/playwright": "playwright",
};

/**
 * The declarations of all entries in one document, for review.
 * @param typesDir the folder that \`bundleTypes\` wrote them to
 */
export function apiReport(typesDir: string): string {
  const parts = Object.entries(ENTRIES).map(([entry, name]) => {
    const text = readFileSync(join(typesDir, `${name}.d.ts`), "utf8");
    return `\n## ${entry}\n\n\`\`\`\`ts\n${text}\`\`\`\`\n`;
  });
  return HEAD + parts.join("");
}
