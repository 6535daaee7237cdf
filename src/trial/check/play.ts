import type { Hazard, StateSeen, StateWatch } from "../hazards/hazard.ts";
import { overtake } from "../statements/overtake.ts";
import type { Statements } from "../statements/statements.ts";
import type { Baseline } from "./baseline.ts";
import type { Exchange, SendTogether } from "./exchange.ts";
import type { StateProbe } from "./probe.ts";

interface Sight extends Pick<Baseline, "shown" | "supply"> {
  probe: StateProbe | undefined;
  statements: Statements | undefined;
  /** Restores the state before each try, if the server handles only one event per object. */
  reset?: (() => Promise<unknown>) | undefined;
}

/** Sends a hazard's requests, watching the state if useful. @returns what the state showed; null if it was not watched */
export async function play(
  hazard: Pick<Hazard, "watch" | "together">,
  exchange: Exchange,
  sight: Sight,
): Promise<StateSeen | null> {
  const how = sight.probe && howToWatch(hazard, exchange, sight);
  if (hazard.together)
    return playTogether(hazard.together, exchange, sight, (send) =>
      how ? sight.probe!.watch(how, send) : send().then(() => null),
    );
  if (!how) {
    await exchange.rest();
    return null;
  }
  const seen = await sight.probe!.watch(how, exchange.first, exchange.rest);
  // A second try uses another event, which would distort a count of handled events.
  const isCounted = how !== "all" && how !== "effect";
  return seen !== null && isCounted && exchange.flakes.length > 0 ? "unclear" : seen;
}

function howToWatch(
  { watch }: Pick<Hazard, "watch">,
  { requests }: Exchange,
  { shown, supply }: Sight,
): Exclude<StateWatch, "anyway"> | undefined {
  if (watch === "anyway") return shown === undefined || shown.how === "late" ? undefined : "all";
  const isUsed = shown?.how === "in time";
  if (watch !== "effect") return isUsed ? watch : undefined;
  if (requests.some(({ type }) => type !== supply.making.event)) return undefined;
  // If the state has never reflected an event, do not wait for it.
  return isUsed ? watch : shown?.how === "never" ? "all" : undefined;
}

/** Holds the first request at one of its statements until the second has been answered. */
const atPlace =
  (statements: Statements, place: number): SendTogether =>
  async (sends) => {
    const watch = statements.watch({ place });
    const { answers } = await overtake(watch, sends);
    const [all] = await Promise.all([Promise.all(answers), watch.end()]);
    return all;
  };

/** Warms up the server's connections, and then repeats the requests until the state shows a fault. */
async function playTogether(
  [warmUp, ...tries]: readonly number[],
  { together }: Exchange,
  { statements, reset }: Sight,
  watch: (send: () => Promise<void>) => Promise<StateSeen | null>,
): Promise<StateSeen | null> {
  // Send one at a time if only the first event about an object is accepted.
  const [rounds, atOnce] = reset ? [warmUp!, 1] : [1, warmUp!];
  for (let round = 0; round < rounds; round += 1) {
    await reset?.();
    if (!(await together(atOnce))) return null;
  }
  let worst: StateSeen | null = null;
  for (const [index, size] of tries.entries()) {
    let isTaken = false;
    await reset?.();
    const seen = await watch(async () => {
      isTaken = await together(size, statements && atPlace(statements, index + 1));
    });
    if (worst !== "unclear") worst = seen;
    if (seen === "twice" || !isTaken) return seen;
  }
  return worst;
}
