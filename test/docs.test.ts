import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { folderOf } from "./support/cli.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../", import.meta.url));

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));

const PAGES = [...readdirSync(ROOT).filter((name) => name.endsWith(".md")), ...filesIn("docs", /\.md$/)];
const SOURCES = ["src", "ui", "test", "build", "scenarios"].flatMap((folder) =>
  filesIn(folder, /\.(tsx?|mjs|css)$/),
);

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** A docs page without its code blocks, in which brackets and hashes have a different meaning. */
const proseOf = (file: string): string => read(file).replace(/^```.*?^```/gms, "");

const headingsOf = (file: string): string[] =>
  [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);

/** The links on a docs page to files and headings. */
const linksOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^https?:/.test(link));

/** The anchor that Markdown renderers create for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

describe("the documentation", () => {
  test.each(PAGES)("%s links only to existing files and headings", (page) => {
    const broken = linksOf(page).filter((link) => {
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !headingsOf(file).map(anchorOf).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test("no packaged page links to a file that the package lacks", async () => {
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: ROOT,
      // The home folder may be read-only.
      env: { ...process.env, npm_config_cache: folderOf() },
      maxBuffer: 64 * 1024 * 1024,
    });
    const packed: string[] = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
    const pages = packed.filter((path) => path.endsWith(".md"));
    expect(pages).toContain("docs/guide/start.md");
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .map((link) => normalize(join(dirname(page), link.split("#")[0] || basename(page))))
        .filter((file) => !packed.includes(file))
        .map((file) => `${page}: ${file}`),
    );
    expect(broken).toEqual([]);
  });

  test("docs/README.md lists every page", () => {
    const listed = [...read("docs/README.md").matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, link]) =>
      normalize(join("docs", link!)),
    );
    const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
    expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
  });
});

test("every command and flag in the documentation exists", () => {
  const wrong = PAGES.filter((page) => page !== "CHANGELOG.md").flatMap((page) =>
    [
      ...read(page)
        .replaceAll("\\\n", " ")
        .matchAll(/(?:npx |`|^)sandglass ((?:[a-z]|--)[^\n`|;]*)/gm),
    ].flatMap(([, text]) => {
      const words = text!.split(/ -- | && | > /)[0]!.split(/[\s)]+/);
      const name = words[0]!.startsWith("--") ? "start" : words[0]!;
      const command = COMMANDS.find((one) => one.name === name);
      const flags = words.flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
      const has = (flag: string) =>
        ["--help", "--version"].includes(flag) ||
        command?.options.some((option) => option.flags.split(/[\s,]+/).includes(flag));
      return command === undefined
        ? [`${page}: sandglass ${name}`]
        : flags.filter((flag) => !has(flag)).map((flag) => `${page}: sandglass ${name} ${flag}`);
    }),
  );
  expect(wrong).toEqual([]);
});

describe("docs/architecture.md", () => {
  const page = proseOf("docs/architecture.md");
  const FILES = [...SOURCES, "build.ts"].map((file) => file.replaceAll("\\", "/"));
  /** The files that a path on a docs page may refer to, because pages omit leading folders. */
  const meant = (path: string) => FILES.filter((file) => file === path || file.endsWith(`/${path}`));

  test("docs/architecture.md names only files that exist", () => {
    const named = [...page.matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => meant(path).length === 0)).toEqual([]);
  });

  test("each file named in docs/architecture.md contains what the page says it contains", () => {
    const claims = [...page.matchAll(/`(\w+)`\s(?:is )?(?:in |\()`([\w/-]+\.tsx?)`/g)];
    expect(claims.length).toBeGreaterThan(3);
    const wrong = claims.filter(
      ([, name, path]) => !meant(path!).some((file) => new RegExp(`\\b${name}\\b`).test(read(file))),
    );
    expect(wrong.map(([claim]) => claim)).toEqual([]);
  });
});

describe("the reading path", () => {
  const [, guide = "", tools = ""] = read("docs/README.md").split(/^## /m);
  const pages = [...`${guide}${tools}`.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(
    ([, page]) => `docs/${page}`,
  );

  test("docs/README.md states the length of the reading path, which has at most 16,000 words without code", () => {
    const words = pages.flatMap((page) => proseOf(page).split(/\s+/).filter(Boolean)).length;
    const said = Number(
      read("docs/README.md")
        .match(/about ([\d,]+) words/)![1]!
        .replace(",", ""),
    );
    expect(Math.abs(words - said)).toBeLessThan(250);
    expect(said).toBeLessThanOrEqual(16_000);
    expect(pages.length).toBeGreaterThan(20);
  });

  test.each(pages)("%s starts by saying what its readers will learn", (page) => {
    expect(read(page)).toMatch(/^# .+\n\n(?:By the end of this page,|This page shows) /);
  });
});

test("every command in a hint or an example starts with npx, so it works as printed", () => {
  const sources = filesIn("src", /\.tsx?$/);
  const wrong = sources.flatMap((file) =>
    read(file)
      .split("\n")
      .filter((line) => !/^\s*(?:\*|\/)/.test(line))
      .filter((line) => /(?:[:,] |\[["'`])sandglass [a-z-]/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});

describe("code comments", () => {
  /**
   * A reference to a docs page by its path, and possibly to a heading on it: docs/check.md, "Usage". The heading may
   * continue on the next line.
   */
  const CITATION = /(?<![\w-])((?:docs\/[\w/-]+|(?<!\/)[A-Z]{4,})\.md)(?:,\s+(?:\* )?"([^"]+)")?/g;

  test("code comments cite only pages and headings that exist", () => {
    const wrong = SOURCES.flatMap((file) =>
      [...read(file).matchAll(CITATION)]
        .filter(([, page, heading]) => {
          if (!existsSync(join(ROOT, page!))) return true;
          const text = heading?.replace(/\s+(?:\* )?/g, " ");
          return text !== undefined && !headingsOf(page!).includes(text);
        })
        .map(([citation]) => `${file}: ${citation}`),
    );
    expect(wrong).toEqual([]);
  });

  test("code comments always cite documents by their path", () => {
    const unnamed = /\b(?:Contract|Convention|Spec|Design): "/;
    expect(SOURCES.filter((file) => file !== "test/docs.test.ts" && unnamed.test(read(file)))).toEqual([]);
  });
});
