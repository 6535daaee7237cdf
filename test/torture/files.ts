import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, download, must } from "./api.ts";
import type { Chance } from "./chance.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, sleep, withBench } from "./part.ts";
import { type Server, withServer } from "./server.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** Whatever is asked of it, a plain call is answered within this many milliseconds: a hang takes far longer. */
const MOST_MS = 5_000;
const MOST_MEGABYTES = 900;
const PRODUCTS = '{"products": [{"name": "Tea"}]}';
/** Seconds that a command may take. */
const COMMAND_S = 60;

/** Folders of fixtures that a repository could come with: each has to be refused, by the file's name. */
const HOSTILE: Record<string, (folder: string, chance: Chance) => void> = {
  "a link out of the folder": (folder) => symlinkSync("/etc/passwd", join(folder, "x.json")),
  "a link to an endless file": (folder) => symlinkSync("/dev/zero", join(folder, "x.yaml")),
  "a link to nothing": (folder) => symlinkSync("nowhere", join(folder, "x.json")),
  "a FIFO": (folder) => void execFileSync("mkfifo", [join(folder, "x.json")]),
  "a file that is too large": (folder) => {
    writeFileSync(join(folder, "x.yaml"), "");
    truncateSync(join(folder, "x.yaml"), 40 * 1024 ** 2);
  },
  "anchors that multiply": (folder, chance) => {
    const width = chance.between(4, 12);
    const lines = Array.from(
      { length: 12 },
      (_, level) => `l${level}: &l${level} [${Array(width).fill(level === 0 ? "x" : `*l${level - 1}`)}]`,
    );
    writeFileSync(join(folder, "x.yaml"), lines.join("\n"));
  },
  "deep nesting": (folder, chance) => {
    const levels = chance.between(200, 200_000);
    writeFileSync(join(folder, "x.json"), "[".repeat(levels) + "]".repeat(levels));
  },
  "half a file": (folder) => writeFileSync(join(folder, "x.json"), PRODUCTS.slice(0, 12)),
};

/** A repository with traps: a configuration that leaves a trace if it is run, and links that lead out of it. */
function makeTraps(folder: string) {
  const outside = join(folder, "outside");
  const repository = join(folder, "repository");
  for (const path of [outside, repository]) mkdirSync(path);
  writeFileSync(
    join(repository, "sandbox.config.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync("ran", ""); export default { port: 0 };`,
  );
  writeFileSync(join(repository, "empty.json"), "{}");
  writeFileSync(
    join(repository, "fails.mjs"),
    `export default { name: "fails", title: "Fails", run() { throw new Error("on purpose"); } };`,
  );
  for (const link of ["sandglass-failed", "reports"]) symlinkSync(outside, join(repository, link));
  return { outside, repository };
}

export const files: Part = {
  name: "files",
  about: "hostile patterns, fixtures, snapshots and repositories",
  unit: "rounds",
  ciCount: 10,
  run: (options) =>
    withBench("files", options, async (bench) => {
      const folder = join(bench.folder, "served");
      mkdirSync(folder);
      const traps = makeTraps(bench.folder);
      const flags = ["--paused", "--rate-limit", "off", "--data-dir", join(bench.folder, "data")];
      return withServer(flags, (server) => torture(server, bench, folder, traps), { cwd: folder });
    }),
};

async function torture(
  server: Server,
  bench: Bench,
  folder: string,
  traps: ReturnType<typeof makeTraps>,
): Promise<Figures> {
  const { url } = server;
  const { chance } = bench;
  await must(url, "POST", "/_sandbox/payments", { payment_link_id: "coffee" });
  await must(url, "POST", "/_sandbox/snapshots", { name: "good" });
  const good = await download(url, "good");
  let doing = "";
  const watch = watchCalls(url, () => doing);
  let [rounds, refused, accepted] = [0, 0, 0];
  for (; bench.goesOn(rounds); rounds += 1) {
    doing = "a pattern was matched";
    await setPattern(url, chance);
    for (const [what, make] of Object.entries(HOSTILE)) {
      doing = `fixtures with ${what} were read`;
      const name = `fx-${rounds}-${refused}`;
      mkdirSync(join(folder, name));
      make(join(folder, name), chance);
      const { status, body } = await call(url, "POST", "/_sandbox/worlds", { name, from: name });
      if (status !== 400 || !/\bx\.(?:json|yaml)\b/.test(body.error?.message))
        throw new Finding(`Fixtures with ${what} were answered ${status}: ${JSON.stringify(body)}`);
      refused += 1;
    }
    doing = "a damaged snapshot was read";
    if (await tryDamaged(url, good, chance)) accepted += 1;
    doing = "commands ran";
    await runCommands(traps, chance);
    checkModes(join(bench.folder, "data"));
    server.residentMegabytes();
    server.check();
  }
  const slowest = await watch.end();
  if (server.peakMegabytes > MOST_MEGABYTES) throw new Finding(`The server took ${server.peakMegabytes} MB.`);
  return {
    rounds,
    "fixtures refused": refused,
    "damaged snapshots that were whole enough": accepted,
    "slowest other call, ms": Math.round(slowest),
    "peak memory, MB": server.peakMegabytes,
  };
}

/** Makes a plain call again and again, beside everything else. */
function watchCalls(url: string, doing: () => string) {
  let isOver = false;
  let slowest = 0;
  const watching = (async () => {
    while (!isOver) {
      const began = performance.now();
      await must(url, "GET", "/_sandbox/clock");
      slowest = Math.max(slowest, performance.now() - began);
      if (slowest > MOST_MS)
        throw new Finding(`A plain call took ${Math.round(slowest)} ms while ${doing()}.`);
      await sleep(5);
    }
  })();
  watching.catch(() => undefined);
  return {
    async end(): Promise<number> {
      isOver = true;
      await watching;
      return slowest;
    },
  };
}

/** A pattern of many stars is taken or refused by its length, and calls that it may fit are answered soon. */
async function setPattern(url: string, chance: Chance): Promise<void> {
  const match = `/${"*a".repeat(chance.between(1, 130))}`;
  const { status } = await call(url, "PUT", "/_sandbox/faults/platform", { status: 503, match });
  if (status !== (match.length > 200 ? 400 : 200))
    throw new Finding(`A match of ${match.length} characters was answered ${status}.`);
  await call(url, "GET", `/platform/api/v1/products/${"a".repeat(400)}b`, undefined, {
    signal: AbortSignal.timeout(MOST_MS),
  });
  await must(url, "DELETE", "/_sandbox/faults/platform");
}

/** A snapshot with changed bytes is refused, or its world can be read and advanced. @returns whether it was taken */
async function tryDamaged(url: string, good: Uint8Array<ArrayBuffer>, chance: Chance): Promise<boolean> {
  const bytes = new Uint8Array(chance.maybe(0.3) ? good.subarray(0, -chance.between(1, 5_000)) : good);
  for (let count = chance.between(1, 4); count > 0; count -= 1)
    bytes[chance.below(bytes.length)] = chance.below(256);
  const { status, body } = await call(url, "POST", "/_sandbox/snapshots/upload?name=damaged", bytes);
  if (status !== 400 && status !== 201)
    throw new Finding(`A damaged snapshot was answered ${status}: ${JSON.stringify(body)}`);
  if (status === 400) return false;
  await must(url, "POST", "/_sandbox/worlds", { name: "damaged", from: "damaged" });
  for (const path of ["status", "events", "webhooks"])
    await must(`${url}/w/damaged`, "GET", `/_sandbox/${path}`);
  await must(`${url}/w/damaged`, "POST", "/_sandbox/clock/advance", { by: "1d" });
  await must(url, "DELETE", "/_sandbox/worlds/damaged");
  return true;
}

/** A command in a repository with traps runs none of its code, and writes nothing outside. */
async function runCommands({ outside, repository }: ReturnType<typeof makeTraps>, chance: Chance) {
  const run = (...args: string[]) =>
    new Promise<void>((resolve, reject) => {
      const options = { cwd: repository, timeout: COMMAND_S * 1_000 };
      execFile(process.execPath, [CLI, ...args], options, (error) => {
        if (error?.killed) reject(new Finding(`sandglass ${args.join(" ")} took more than ${COMMAND_S} s.`));
        else resolve();
      });
    });
  await run(...chance.pick([["status"], ["env"], ["pay", "coffee"], ["links"], ["webhooks"]]));
  if (existsSync(join(repository, "ran"))) throw new Finding("A command ran sandbox.config.mjs.");
  const reports = chance.pick([[], ["--junit", "reports/a.xml"], ["--html", "reports/a.html"]]);
  // This one runs the scenario, with a configuration that leaves no trace.
  await run("run", "fails.mjs", "--config", "empty.json", ...reports);
  const written = readdirSync(outside);
  if (written.length > 0) throw new Finding(`Written through a link: ${written.join(", ")}.`);
}

function checkModes(dataDir: string): void {
  const wide = ["", ...readdirSync(dataDir, { recursive: true }).map(String)].filter(
    (name) => (statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077,
  );
  if (wide.length > 0) throw new Finding(`Other users can read ${wide.join(", ")} of the data folder.`);
}
