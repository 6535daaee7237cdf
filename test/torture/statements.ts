import { type ChildProcess, spawn } from "node:child_process";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import { hasPostgres, startPostgres } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import { CORRECT, type Kind } from "../support/statements/shop.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";

/** How many processes keep the processors busy meanwhile. */
const LOAD = 10;
const DRIVERS = ["pg", "postgres"];

export const statements: Part = {
  name: "statements",
  about: `correct handlers on Postgres, each explored again and again at load ${LOAD}: nothing is found`,
  unit: "rounds",
  ciCount: 20,
  run: (options) => withBench("statements", options, torture),
};

async function torture({ goesOn, progress }: Bench): Promise<Figures> {
  if (!hasPostgres()) return { skipped: "Postgres is not installed" };
  const server = await startPostgres();
  const busy: ChildProcess[] = Array.from({ length: LOAD }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  const clean = new Map<string, number>();
  let rounds = 0;
  try {
    for (; goesOn(rounds); rounds += 1) {
      for (const driver of DRIVERS)
        for (const kind of CORRECT) {
          await exploreClean(server, kind, driver);
          const name = `${kind}, ${driver}`;
          clean.set(name, (clean.get(name) ?? 0) + 1);
        }
      progress(`round ${rounds + 1}`);
    }
  } finally {
    for (const child of busy) child.kill("SIGKILL");
    await server.close();
  }
  return Object.fromEntries([...clean].map(([name, times]) => [name, `clean ${times} of ${rounds}`]));
}

/** @throws Finding if anything is found */
async function exploreClean(
  server: Awaited<ReturnType<typeof startPostgres>>,
  kind: Kind,
  driver: string,
): Promise<void> {
  const survey = await exploreHandler(server, { kind, driver });
  const verdict = surveyVerdict(survey);
  if (verdict === "nothing_found") return;
  const { finding, flaky } = survey.explorations[0]!;
  throw new Finding(`The correct handler ${kind} with ${driver} is ${verdict}.`, [
    JSON.stringify(finding?.run.schedule ?? flaky),
    JSON.stringify(finding?.differences ?? []),
  ]);
}
