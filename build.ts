import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { asAscii } from "./build/ascii.ts";
import { takeBuiltins } from "./build/builtins.ts";
import { configSchema, senderSchema } from "./build/config-files.ts";
import { copyForMain } from "./build/main-copy.ts";
import { minifyPackages } from "./build/minify.ts";
import { collectNotices } from "./build/notices.ts";
import { operationsAsData } from "./build/operations.ts";
import { STAMP, sourcesHash } from "./build/sources.ts";
import { bundleTypes } from "./build/types.ts";
import { leaveOutUnused } from "./build/unused.ts";
import { type Definition, readDefinitions } from "./src/chain-data/providers/recordings.ts";
import { DEFAULT_START } from "./src/config/config.ts";
import { DEMO_REPORT, FIXTURES_SCHEMA } from "./src/runtime/package.ts";
import { AREAS } from "./src/sandbox/areas.ts";
import { fixturesSchema } from "./src/sandbox/fixtures/description.ts";
import { makeSeedBytes, PREPARED_SEEDS, preparedName } from "./src/sandbox/seed.ts";
import { SHIPPED_INFO } from "./src/scenarios/catalog.ts";
import { checkScenario } from "./src/scenarios/shape.ts";
import { readSender, shippedSenders } from "./src/senders/files.ts";
import { trialHtml } from "./src/trial/report/html.ts";
import { trialOf } from "./src/trial/report/trial.ts";
import { openDemoShop } from "./src/trial/stories/demo.ts";

/** Builds the package: plain JavaScript, the page, types, notices, and prepared databases for the usual seeds. */
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Treats every warning from the bundler as an error. Fix the cause in the sources. */
const onwarn = ({ message }: { message: string }): never => {
  throw new Error(message);
};
/** Disables the warning about build times, which would fail the build on a slow machine. */
const checks = { bundlerTimings: false };

const sources = (names: string) => new RegExp(`/src/(${names})\\.ts$`);
/**
 * Modules shared by other code and the commands that call a running sandbox, together with the shortest of these
 * commands, and small modules that would be files of their own.
 */
const CLIENT = [
  "cli/(operation/(answer-lines|command)|payments/(expire|pay|payment)|stop|webhooks/faults|world/(env|status|world))",
  "config/https",
  "errors/(closest|disk-full|no-platform)",
  "runtime/(is-object|package|plain-address|read-if-there)",
].join("|");
/** The other commands that call a running sandbox. Most of them print timelines. */
const VIEWS =
  "cli/(advance/advance|webhooks/(events|inbox|listen|mail|requests|views)|world/(holdings|lists|snapshot))";

rmSync(path("dist"), { recursive: true, force: true });
// Compute the hash before building: changes made during the build may or may not be included.
const builtFrom = sourcesHash();
const notices = collectNotices([path("node_modules/@fontsource-variable/inter")]);

// Bundle everything that is pure JavaScript, so that installing fetches only two packages and starting reads only a few
// files.
await build({
  configFile: false,
  logLevel: "warn",
  plugins: [
    operationsAsData(),
    copyForMain(),
    leaveOutUnused(),
    takeBuiltins(),
    minifyPackages(),
    asAscii(),
    notices.plugin(),
  ],
  // Embed JSON as strings, because V8 parses literals more slowly: parsing the chains' literals would take a twentieth
  // of a short command's time.
  json: { stringify: true },
  define: {
    // Bundled CommonJS modules may use these variables.
    __dirname: "import.meta.dirname",
    __filename: "import.meta.filename",
    // undici uses this name to detect bundlers. Setting it leaves out its experimental second parser.
    esbuildDetection: "true",
  },
  ssr: { noExternal: true, external: ["better-sqlite3", "vitest", "@playwright/test"] },
  build: {
    ssr: true,
    target: "node22",
    outDir: path("dist"),
    emptyOutDir: false,
    minify: false,
    rollupOptions: {
      ...{ onwarn, checks },
      input: {
        index: path("src/index.ts"),
        client: path("src/client/index.ts"),
        vitest: path("src/entries/vitest.ts"),
        playwright: path("src/entries/playwright.ts"),
        "cli/main": path("src/cli/main.ts"),
        // Loaded by its URL into the main context of a test runner (see src/client/untouched-http.ts).
        undici: path("src/runtime/agent.ts"),
        // These modules run in threads that are started from their files (see src/runtime/package.ts).
        "replay-worker": path("src/chain-data/providers/replay-worker.ts"),
        "scenario-thread": path("src/scenarios/thread-start.ts"),
        "sqlite-preload": path("src/trial/statements/sqlite-preload.ts"),
        // This module runs in a process that is started from its file.
        "network-inside": path("src/trial/outside/network/inside.ts"),
        "heavy-thread": path("src/sandbox/thread.ts"),
      },
      output: {
        entryFileNames: "[name].js",
        comments: false,
        chunkFileNames: "chunks/[name]-[hash].js",
        // Finding a file takes longer than reading it, so modules that are loaded together go into one file. This makes
        // starting the sandbox and running a short command a sixth faster. A group includes the modules that it
        // imports, except for those in an earlier group.
        codeSplitting: {
          groups: [
            { name: "client", test: (id) => sources(CLIENT).test(id) || id.includes("taken:") },
            { name: "views", test: sources(VIEWS) },
            { name: "server", test: sources("server/(serve|apps)") },
            // A sandbox with only senders does not load this group.
            {
              name: "platform",
              test: sources(
                "sandbox/platform|payments/(index|payments)|chain-data/(index|chain-data)|game/(index|game)",
              ),
            },
          ],
        },
      },
    },
  },
});
chmodSync(path("dist/cli/main.js"), 0o755);
// This file is loaded with `node --require` into the user's server, which may run on an older version of Node.
await build({
  configFile: false,
  logLevel: "warn",
  plugins: [asAscii()],
  build: {
    ssr: path("src/trial/outside/preload/preload.ts"),
    target: "node18",
    outDir: path("dist"),
    emptyOutDir: false,
    minify: true,
    rollupOptions: {
      ...{ onwarn, checks },
      output: { format: "cjs", entryFileNames: "outside-preload.cjs" },
    },
  },
});
// nock's interceptors read their parser from a file next to the running module.
const interceptors = createRequire(import.meta.resolve("nock")).resolve("@mswjs/interceptors");
cpSync(new URL("llhttp/llhttp.wasm", pathToFileURL(interceptors)), path("dist/chunks/llhttp/llhttp.wasm"));
// Scenarios are compiled one by one. Stack traces point to their sources, which the package also contains.
await build({
  configFile: false,
  logLevel: "warn",
  build: {
    ssr: true,
    target: "node22",
    outDir: path("dist/scenarios"),
    minify: false,
    sourcemap: true,
    rollupOptions: {
      ...{ onwarn, checks },
      input: Object.fromEntries(
        readdirSync(path("scenarios"))
          .filter((file) => file.endsWith(".ts"))
          .map((file) => [file.slice(0, -".ts".length), path(`scenarios/${file}`)]),
      ),
      external: ["sandglass"],
      output: { entryFileNames: "[name].js", chunkFileNames: "_[name].js", sourcemapExcludeSources: true },
    },
  },
});
writeFileSync(path(`dist/scenarios/${SHIPPED_INFO}`), JSON.stringify(await readScenarios()));
await build({ configFile: path("ui/vite.config.ts"), plugins: [notices.plugin()] });
writeFileSync(path("THIRD-PARTY-NOTICES.md"), notices.text());
writeFileSync(path("dist/sender.schema.json"), JSON.stringify(senderSchema()));
writeFileSync(path("dist/sandbox.config.schema.json"), JSON.stringify(configSchema()));
writeFileSync(path(FIXTURES_SCHEMA), JSON.stringify(await fixturesSchema(AREAS)));
await bundleTypes(path("dist/types"));
for (const seed of PREPARED_SEEDS)
  writeFileSync(
    path(`dist/chunks/${preparedName(seed)}`),
    await makeSeedBytes({ seed, startAt: DEFAULT_START }),
  );
mkdirSync(path("dist/chunks/senders"), { recursive: true });
for (const name of shippedSenders())
  writeFileSync(path(`dist/chunks/senders/${name}.json`), JSON.stringify((await readSender(name)).facts));
writeFileSync(path("dist/recordings.json.gz"), gzipSync(JSON.stringify(recordings())));
writeFileSync(path(DEMO_REPORT), await demoReport());
writeFileSync(STAMP, builtFrom);

/** Packs the shipped recordings into one file, which makes an install 2 MB smaller. */
function recordings(): Definition[] {
  const files = readdirSync(path("fixtures/recordings")).sort();
  return files.flatMap((file) => readDefinitions(path(`fixtures/recordings/${file}`)));
}

/** The findings of `explore --demo`, shown on the page if a project has not explored anything yet. */
async function demoReport(): Promise<string> {
  const shop = await openDemoShop("faulty");
  return trialHtml(trialOf({ survey: await shop.explore(new AbortController().signal) }));
}

/** The metadata of the shipped scenarios, by file name. */
async function readScenarios(): Promise<Record<string, object>> {
  const files = readdirSync(path("dist/scenarios")).filter((file) => /^[^_].*\.js$/.test(file));
  const read = files.map(async (file) => {
    const { default: exported } = await import(new URL(`dist/scenarios/${file}`, import.meta.url).href);
    const { run: _run, ...info } = checkScenario(file, exported);
    return [file, info] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
