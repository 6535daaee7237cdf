import { type ChildProcess, spawn } from "node:child_process";
import { loadavg } from "node:os";
import fc from "fast-check";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import { EXPLORED, openExplorer } from "../support/statements/explore-drawn.ts";
import { drawn, openBruteForce } from "../support/statements/interleavings.ts";
import { CORRECT, type Kind, WORKERS } from "../support/statements/shop.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";
import { killHeld } from "./statement-kills.ts";

/** How busy the machine is kept, explorations included: with all handlers, and with workers. */
const [LOAD, WORKERS_LOAD] = [10, 20];
/** How many explorations run at a time. */
const AT_ONCE = 6;
/** Keeps a processor busy until its input ends, as it does when this process is killed. */
const BUSY = `process.stdin.resume().on("end", () => process.exit());
  setInterval(() => { for (const end = performance.now() + 50; performance.now() < end; ); }, 0);`;
/** An exploration is killed for so many rounds. */
const KILLS_OF = 2;
const DRIVERS = ["pg", "postgres"];

export const statements: Part = {
  name: "statements",
  about: `correct handlers on Postgres, each explored again and again at load ${LOAD}, and random ones`,
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
      withPostgres(WORKERS_LOAD, (server, adjustLoad) => exploreCorrect(server, bench, adjustLoad, WORKERS)),
    ),
};

const torture = (bench: Bench): Promise<Figures> =>
  withPostgres(LOAD, async (server, adjustLoad) => {
    let [kills, held] = [0, 0];
    for (; kills < bench.count / KILLS_OF; kills += 1) held += Number(await killHeld(server));
    bench.progress(`${kills} explorations killed, ${held} of them at a held statement`);
    const both = await Promise.allSettled([
      exploreCorrect(server, bench, adjustLoad, CORRECT),
      exploreRandom(server, bench),
    ]);
    const failed = both.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    return Object.assign({}, ...both.map((one) => one.status === "fulfilled" && one.value));
  });

/** Works with a Postgres server on a busy machine. */
async function withPostgres(
  load: number,
  work: (server: PostgresServer, adjustLoad: () => void) => Promise<Figures>,
): Promise<Figures> {
  if (!hasPostgres()) return { skipped: "Postgres is not installed" };
  const server = await startPostgres();
  const kept = keepLoad(load);
  try {
    return await work(server, kept.adjust);
  } finally {
    kept.end();
    await server.close();
  }
}

/** Keeps the machine's load with busy processes: as many as what else runs leaves over. */
function keepLoad(wanted: number) {
  const busy: ChildProcess[] = [];
  return {
    /** Starts or ends one. It is called more often than the load, a mean over a minute, changes. */
    adjust() {
      const [load = 0] = loadavg();
      if (load < wanted && busy.length < wanted)
        busy.push(spawn(process.execPath, ["-e", BUSY], { stdio: ["pipe", "ignore", "ignore"] }));
      else if (load > wanted) busy.pop()?.kill("SIGKILL");
    },
    end() {
      for (const child of busy) child.kill("SIGKILL");
    },
  };
}

/** Explores each correct handler in each round. @throws Finding if anything is found */
async function exploreCorrect(
  server: PostgresServer,
  { goesOn, progress }: Bench,
  adjustLoad: () => void,
  kinds: readonly Kind[],
): Promise<Figures> {
  const handlers = DRIVERS.flatMap((driver) => kinds.map((kind) => ({ kind, driver, times: 0, clean: 0 })));
  const wrong: string[] = [];
  let begun = 0;
  async function explore(): Promise<void> {
    while (goesOn(Math.floor(begun / handlers.length))) {
      const handler = handlers[begun % handlers.length]!;
      begun += 1;
      adjustLoad();
      if (begun % handlers.length === 0) progress(`round ${begun / handlers.length}, load ${loadavg()[0]}`);
      const problem = await problemOf(server, handler).catch((error: Error) => error.message);
      handler.times += 1;
      if (problem === undefined) handler.clean += 1;
      else {
        wrong.push(`${handler.kind} with ${handler.driver}: ${problem}`);
        progress(wrong.at(-1)!);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, explore));
  if (wrong.length > 0)
    throw new Finding(`${wrong.length} explorations of correct handlers are wrong.`, wrong);
  return Object.fromEntries(
    handlers.map(({ kind, driver, times, clean }) => [`${kind}, ${driver}`, `clean ${clean} of ${times}`]),
  );
}

/** What an exploration of a correct handler comes to; undefined for nothing. */
async function problemOf(
  server: PostgresServer,
  handler: { kind: Kind; driver: string },
): Promise<string | undefined> {
  const survey = await exploreHandler(server, handler);
  const verdict = surveyVerdict(survey);
  if (verdict === "nothing_found") return undefined;
  const [{ finding, flaky, levels } = {}] = survey.explorations;
  const { schedule } = finding?.run ?? {};
  return `${verdict} ${JSON.stringify({ schedule, differences: finding?.differences, flaky, levels })}`;
}

/** Explores a random handler in each round, and compares it with what all interleavings come to on Postgres itself. */
async function exploreRandom(server: PostgresServer, { goesOn, chance }: Bench): Promise<Figures> {
  const [brute, explorer] = [await openBruteForce(server), await openExplorer(server)];
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
