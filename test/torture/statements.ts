import { type ChildProcess, spawn } from "node:child_process";
import { loadavg } from "node:os";
import fc from "fast-check";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import { EXPLORED, openExplorer } from "../support/statements/explore-drawn.ts";
import { drawn, openBruteForce } from "../support/statements/interleavings.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";
import { type Handler, TORTURE_DATABASES, type TortureServer } from "./statement-databases.ts";
import { killHeld } from "./statement-kills.ts";

/** The machine load to maintain, including explorations: first with all handlers, then with workers. */
const [LOAD, WORKERS_LOAD] = [10, 20];
/** The number of milliseconds between two changes of the load, which is an average over one minute. */
const ADJUSTED_EVERY_MS = 5_000;
/** How many explorations run at the same time by default. */
const AT_ONCE = 6;
/** Keeps a processor busy until its input ends, which also happens if this process is killed. */
const BUSY = `process.stdin.resume().on("end", () => process.exit());
  setInterval(() => { for (const end = performance.now() + 50; performance.now() < end; ); }, 0);`;
/** A budget that no exploration exceeds on a busy machine, because running out of time is not a wrong verdict. */
const BUDGET = "1h";
/** The number of rounds is this many times the number of explorations that are killed. */
const KILLS_OF = 2;

export const statements: Part = {
  name: "statements",
  about: `handlers on Postgres, or with --database mysql on MariaDB, each explored again and again at load ${LOAD}, and random ones`,
  unit: "rounds",
  ciCount: 20,
  run: (options) => withBench("statements", options, torture),
};

export const workers: Part = {
  name: "workers",
  about: `correct handlers on Postgres whose workers drain or poll an outbox or a queue, again and again at load ${WORKERS_LOAD}`,
  unit: "rounds",
  ciCount: 50,
  run: (options) =>
    withBench("workers", options, (bench) =>
      withServer(WORKERS_LOAD, bench, (server) =>
        exploreAll(server, bench, handlersOf(server, server.workers)),
      ),
    ),
};

const handlersOf = ({ drivers }: TortureServer, kinds: readonly string[]): Handler[] =>
  drivers.flatMap((driver) => kinds.map((kind) => ({ kind, driver })));

const torture = (bench: Bench): Promise<Figures> =>
  withServer(LOAD, bench, async (server) => {
    let [kills, held] = [0, 0];
    for (; kills < bench.count / KILLS_OF; kills += 1) held += Number(await killHeld(server));
    bench.progress(`${kills} explorations killed, ${held} of them at a held statement`);
    // It takes two processes to reveal state that is remembered only in memory.
    const wrong = server.wrong.map((kind) => ({
      ...{ kind, driver: server.drivers[0]!, isWrong: true },
      ...(kind === "ids-in-memory" && { flags: { instances: "2" } }),
    }));
    const both = await Promise.allSettled([
      exploreAll(server, bench, [...wrong, ...handlersOf(server, server.correct)]),
      exploreRandom(server, bench),
    ]);
    const failed = both.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    return Object.assign({}, ...both.map((one) => one.status === "fulfilled" && one.value));
  });

/** Works with a database server while the machine is busy. */
async function withServer(
  load: number,
  { database = "postgres" }: Bench,
  work: (server: TortureServer) => Promise<Figures>,
): Promise<Figures> {
  const { isThere, start } = TORTURE_DATABASES[database];
  if (!isThere()) return { skipped: `${database} is not installed` };
  const server = await start();
  const stopKeeping = keepLoad(load);
  try {
    return await work(server);
  } finally {
    stopKeeping();
    await server.close();
  }
}

/**
 * Maintains the machine's load with busy processes, in addition to everything else that runs.
 * @returns a function that stops doing so
 */
function keepLoad(wanted: number): () => void {
  const busy: ChildProcess[] = [];
  const timer = setInterval(() => {
    const [load = 0] = loadavg();
    if (load < wanted && busy.length < wanted)
      busy.push(spawn(process.execPath, ["-e", BUSY], { stdio: ["pipe", "ignore", "ignore"] }));
    else if (load > wanted) busy.pop()?.kill("SIGKILL");
  }, ADJUSTED_EVERY_MS);
  return () => {
    clearInterval(timer);
    for (const child of busy) child.kill("SIGKILL");
  };
}

/**
 * Explores each handler in each round.
 * @throws Finding if a correct handler fails, or one with a bug passes
 */
async function exploreAll(
  server: TortureServer,
  { goesOn, progress, atOnce = AT_ONCE }: Bench,
  tried: readonly (Handler & { isWrong?: boolean })[],
): Promise<Figures> {
  const handlers = tried.map((handler) => ({ handler, times: 0, right: 0 }));
  const problems: string[] = [];
  let begun = 0;
  async function explore(): Promise<void> {
    while (goesOn(Math.floor(begun / handlers.length))) {
      const one = handlers[begun % handlers.length]!;
      begun += 1;
      if (begun % handlers.length === 0) progress(`round ${begun / handlers.length}, load ${loadavg()[0]}`);
      const problem = await problemOf(server, one.handler).catch((error: Error) => error.message);
      one.times += 1;
      if (problem === undefined) one.right += 1;
      else {
        problems.push(`${one.handler.kind} with ${one.handler.driver}: ${problem}`);
        progress(problems.at(-1)!);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, explore));
  if (problems.length > 0) throw new Finding(`${problems.length} explorations are wrong.`, problems);
  return Object.fromEntries(
    handlers.map(({ handler: { kind, driver, isWrong }, times, right }) => [
      `${kind}, ${driver}`,
      `${isWrong ? "found" : "clean"} ${right} of ${times}`,
    ]),
  );
}

/** Describes what is wrong with the result of an exploration; undefined if nothing is wrong. */
async function problemOf(
  server: TortureServer,
  handler: Handler & { isWrong?: boolean },
): Promise<string | undefined> {
  const survey = await server.explore({ ...handler, flags: { budget: BUDGET, ...handler.flags } });
  const verdict = surveyVerdict(survey);
  const [{ finding, flaky, levels } = {}] = survey.explorations;
  const { schedule } = finding?.run ?? {};
  const isRight = handler.isWrong
    ? verdict === "found" && schedule?.length === 1
    : verdict === "nothing_found";
  if (isRight) return undefined;
  return `${verdict} ${JSON.stringify({ schedule, differences: finding?.differences, flaky, levels })}`;
}

/**
 * Explores a random handler in each round, and compares the result with the result of running all interleavings
 * directly on the database.
 */
async function exploreRandom({ url, engine }: TortureServer, { goesOn, chance }: Bench): Promise<Figures> {
  const [brute, explorer] = [await openBruteForce(url, engine), await openExplorer(url, engine)];
  const seen = { wrong: 0, correct: 0 };
  try {
    for (let round = 0; goesOn(round); round += 1) {
      const [made] = fc.sample(drawn, { numRuns: 1, seed: chance.below(2 ** 31) });
      const { wrong } = await brute.judge(made!);
      const verdict = await explorer.explore(made!, EXPLORED[round % EXPLORED.length]!);
      seen[wrong === null ? "correct" : "wrong"] += 1;
      if (verdict !== (wrong === null ? "nothing_found" : "found"))
        throw new Finding(`A handler that is ${wrong ?? "never"} wrong is ${verdict}.`, [
          JSON.stringify(made),
        ]);
    }
  } finally {
    await brute.close();
    await explorer.close();
  }
  return { "random handlers": `${seen.wrong} wrong and ${seen.correct} correct, each with the same verdict` };
}
