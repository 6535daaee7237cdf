import { resolveConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Level } from "../explore/exploration.ts";
import type { Story } from "../explore/stories.ts";
import { wallNow } from "../world/clock.ts";
import { MINUTE, parseDuration } from "../world/duration.ts";
import type { Invocation } from "./command.ts";
import { clearPassing, paint, passing, print, printJson } from "./output.ts";
import { readHttpUrl } from "./server.ts";

export interface ExploreFlags {
  secret?: string;
  state?: string;
  reset?: string;
  ignore?: string[];
  story?: string;
  deviations?: string;
  budget?: string;
  seed?: string;
  config?: string;
  json?: boolean;
  list?: boolean;
}

const FOUND = 1;
const UNUSABLE = 3;
const SECRET = "SANDGLASS_WEBHOOK_SECRET";
const MOST_DEVIATIONS = 3;

/** `sandglass explore`: exits with 1 if a schedule breaks the subscriber, and with 3 if it cannot be explored. */
export async function run({ args: [subscriber], options }: Invocation<ExploreFlags>): Promise<number> {
  const [{ STORIES }, { exploreSubscriber }, { explorationLines }, { remoteSubject }] = await Promise.all([
    import("../explore/stories.ts"),
    import("../explore/explore.ts"),
    import("../explore/report.ts"),
    import("../explore/remote.ts"),
  ]);
  if (options.list) {
    for (const { name, title } of STORIES) print(`${name.padEnd(20)}${title}`);
    return 0;
  }
  const story = findStory(options.story, STORIES);
  const url = readSubscriber(subscriber);
  const state = needed("--state", options.state, "a URL that returns the subscriber's state as JSON");
  const reset = needed(
    "--reset",
    options.reset,
    "a URL, or a command, that takes the subscriber back to empty",
  );
  const secret = options.secret ?? process.env[SECRET];
  if (!secret)
    throw misuse(
      "explore needs the secret that your server verifies with.",
      `Pass it with --secret, or set ${SECRET}.`,
    );
  const { config, file } = await loadConfig({
    cwd: process.cwd(),
    ...(options.config === undefined ? {} : { file: options.config }),
  });
  const timeout = 30_000;
  const exploration = await exploreSubscriber({
    subject: remoteSubject({ url, stateUrl: readHttpUrl(state, "--state"), resetBy: reset, timeout }),
    timeout,
    story,
    secret,
    deviations: readDeviations(options.deviations),
    budget: options.budget === undefined ? MINUTE : parseDuration(options.budget),
    ignore: options.ignore ?? [],
    seed: options.seed ?? "explore",
    settings: resolveConfig(config, wallNow(), file),
    onProgress: options.json ? undefined : showProgress,
  }).finally(clearPassing);
  if (options.json) printJson(exploration);
  else
    for (const line of explorationLines(exploration, { paint, width: process.stdout.columns })) print(line);
  return exploration.flaky ? UNUSABLE : exploration.finding ? FOUND : 0;
}

function showProgress({ deviations, tried, schedules }: Level): void {
  passing(`${deviations} ${deviations === 1 ? "deviation" : "deviations"}  ${tried} of ${schedules}`);
}

function findStory(name = "checkout", stories: readonly Story[]): Story {
  const found = stories.find((story) => story.name === name);
  if (found) return found;
  const names = stories.map((story) => story.name);
  const meant = closest(name, names);
  throw misuse(
    `There is no story '${name}'.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Stories: ${names.join(", ")}.`,
  );
}

function readSubscriber(text: string | undefined): string {
  if (text !== undefined) return readHttpUrl(text, "The subscriber's address");
  throw misuse(
    "explore needs the address at which your server takes webhooks.",
    "For example: sandglass explore http://127.0.0.1:3000/webhooks --state http://127.0.0.1:3000/state --reset http://127.0.0.1:3000/reset --secret whsec_…",
  );
}

function needed(option: string, value: string | undefined, what: string): string {
  if (value) return value;
  throw misuse(`explore needs ${option}: ${what}.`, "Serve both in development alone.");
}

function readDeviations(text: string | undefined): number {
  if (text === undefined) return MOST_DEVIATIONS;
  if (/^[1-9]$/.test(text)) return Number(text);
  throw misuse(
    `--deviations must be a whole number from 1 to 9, not '${text}'.`,
    "For example --deviations 2",
  );
}

function misuse(message: string, hint: string): SandboxError {
  return new SandboxError("bad_request", message, hint);
}
