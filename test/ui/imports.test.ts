import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * The parts of the page that each part may import (see docs/architecture.md). A part is a folder of ui, or a file next
 * to these folders.
 */
const MAY_IMPORT: Record<string, string[]> = {
  "api-types": [],
  api: ["api-types"],
  live: ["api-types", "models"],
  keys: [],
  models: ["api", "api-types", "live"],
  app: ["api", "api-types", "live", "models"],
  // The shell shows the views, and the views consist of components.
  components: ["api", "api-types", "app", "keys", "models", "views"],
  views: ["api", "api-types", "components", "models"],
  main: ["app", "components", "models", "views"],
};

/** Types of the server may be imported from these files. None of their code becomes part of the page. */
const TYPES =
  /^src\/(?:library\/words|operations|world|http\/request-log|sandbox\/(?:beginnings|snapshots|worlds)|(?:payments|webhooks)\/schemas)/;
/**
 * Server code that is also part of the page. It is pure, and works the same in both places. This includes all of
 * src/timeline.
 */
const SHARED = [
  "src/payments/hosted/amount.ts",
  "src/payments/hosted/tokens.ts",
  "src/payments/webhooks/event-types.ts",
  "src/webhooks/policy.ts",
  "src/runtime/is-object.ts",
  "src/runtime/shell.ts",
  "src/runtime/unless-thrown.ts",
];
/** The only file that communicates with the server. */
const TRANSPORT = /^api\.ts$/;
const PACKAGES = ["preact", "preact/hooks", "@preact/signals", "typebox"];

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const files = readdirSync(join(ROOT, "ui"), { recursive: true, encoding: "utf8" })
  .map((name) => name.split(sep).join("/"))
  .filter((name) => /\.tsx?$/.test(name) && name !== "vite.config.ts");

const roomOf = (file: string) => file.split("/")[0]!.replace(/\.tsx?$/, "");

const STATEMENT =
  /^(?:import|export)( type)? (?:(?:\w+|\* as \w+|\{[^}]*\})(?:, \{[^}]*\})? from )?"([^"]+)"|import\("([^"]+)"\)/gm;

function importsOf(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(join(ROOT, "ui", file), "utf8");
  return [...text.matchAll(STATEMENT)].map(([, type, stated, lazy]) => {
    const target = stated ?? lazy!;
    return {
      target: target.startsWith(".") ? posix.normalize(posix.join("ui", dirname(file), target)) : target,
      typeOnly: type !== undefined,
    };
  });
}

test.each(files)("the page's file %s imports only permitted modules", (file) => {
  const allowed = [roomOf(file), ...MAY_IMPORT[roomOf(file)]!];
  const outside = importsOf(file).filter(({ target, typeOnly }) => {
    if (target.endsWith(".css")) return false;
    if (target.startsWith("ui/")) return !allowed.includes(roomOf(target.slice(3)));
    if (PACKAGES.includes(target)) return target === "typebox" && !typeOnly;
    return !(
      SHARED.includes(target) ||
      target.startsWith("src/timeline/") ||
      (typeOnly && TYPES.test(target))
    );
  });
  expect(outside.map(({ target }) => `${file} imports ${target}`)).toEqual([]);
});

test("the page's models never use the document, and only the transport calls the server", () => {
  for (const file of files) {
    const text = readFileSync(join(ROOT, "ui", file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    if (roomOf(file) === "models") expect(text, file).not.toMatch(/\b(?:document|window)\s*\./);
    if (!TRANSPORT.test(file)) expect(text, file).not.toMatch(/\bfetch\(|XMLHttpRequest|EventSource/);
    if (file !== "main.tsx") expect(text, file).not.toMatch(/new WebSocket/);
    expect(text, file).not.toMatch(/dangerouslySetInnerHTML|innerHTML/);
  }
});

/** Queuing clock steps is intended, and copying sends nothing. */
const UNGUARDED = ["components/form.tsx", "components/clock/advance.tsx", "components/copy.tsx"];

test("the page sends every request through Form or onSend", () => {
  for (const file of files.filter((name) => name.endsWith(".tsx") && !UNGUARDED.includes(name))) {
    const text = readFileSync(join(ROOT, "ui", file), "utf8");
    expect(text, file).not.toMatch(/<form\b|onSubmit=|onClick=\{[^}]*=>\s*void /);
  }
});

test("no file of the page has more than 400 lines", () => {
  const long = files.filter((file) => readFileSync(join(ROOT, "ui", file), "utf8").split("\n").length > 400);
  expect(long).toEqual([]);
});
