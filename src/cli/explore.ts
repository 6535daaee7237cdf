import { SandboxError } from "../errors/errors.ts";
import type { Level } from "../explore/exploration.ts";
import type { Invocation } from "./command.ts";
import { type ExploreFlags, readExploreOptions } from "./explore-flags.ts";
import { clearPassing, paint, paintError, passing, print, printJson } from "./output.ts";
import { stopRequested } from "./stop.ts";

const FOUND = 1;
/** The subscriber cannot be explored: it does not work in the calm run, breaks down, or is not deterministic. */
const UNUSABLE = 3;

/** `sandglass explore`: exits with 1 if a schedule breaks the subscriber, and with 3 if it cannot be explored. */
export async function run({ args: [subscriber], options }: Invocation<ExploreFlags>): Promise<number> {
  if (options.list) {
    const { STORIES } = await import("../explore/stories.ts");
    if (options.json) printJson(STORIES.map(({ name, title }) => ({ name, title })));
    else for (const { name, title } of STORIES) print(`${name.padEnd(20)}${title}`);
    return 0;
  }
  const plan = await readExploreOptions(subscriber, options);
  const [{ exploreSubscriber }, { explorationLines }] = await Promise.all([
    import("../explore/explore.ts"),
    import("../explore/report.ts"),
  ]);
  const end = new AbortController();
  void stopRequested().then(() => end.abort());
  try {
    const exploration = await exploreSubscriber({
      ...plan,
      signal: end.signal,
      onProgress: options.json ? undefined : showProgress,
    }).finally(clearPassing);
    if (options.json) printJson(exploration);
    else for (const line of explorationLines(exploration, paint)) print(line);
    return exploration.flaky ? UNUSABLE : exploration.finding ? FOUND : 0;
  } catch (error) {
    if (!(error instanceof SandboxError) || !/^(?:unreachable|invalid_state)$/.test(error.code)) throw error;
    process.stderr.write(paintError(error.message, error.hintFor("command")));
    return UNUSABLE;
  } finally {
    plan.subject.close();
  }
}

function showProgress({ deviations, tried, schedules }: Level): void {
  passing(
    `${deviations} ${deviations === 1 ? "deviation" : "deviations"}  ${tried} of ${schedules} schedules`,
  );
}
