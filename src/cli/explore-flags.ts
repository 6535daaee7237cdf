import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { resolveConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { misuse } from "../errors/errors.ts";
import { isAddress, readHttpUrl } from "../runtime/http-url.ts";
import { readTextFile } from "../runtime/text-file.ts";
import type { SurveyOptions } from "../trial/schedules/options.ts";
import type { RemoteOptions } from "../trial/subject/remote.ts";
import type { OwnedServer } from "../trial/subject/server.ts";
import { wallNow } from "../world/clock.ts";
import { MINUTE, parseDuration, parseInstant } from "../world/duration.ts";
import { readPrefix, readReceiver, readSecret } from "./check-flags.ts";
import { readPort } from "./ports.ts";
import { readShard } from "./run-flags.ts";

/** The options of `explore`, as commander gives them. */
export interface ExploreFlags {
  secret?: string;
  sender?: string;
  events?: string;
  state?: string;
  tables?: string;
  reset?: string;
  start?: string;
  databaseEnv?: string[];
  restore?: boolean;
  yes?: boolean;
  workers?: string;
  idle?: string;
  apiPort?: string;
  at?: string;
  all?: boolean;
  replay?: string;
  shard?: string;
  merge?: string;
  ignore?: string[];
  ordered?: string[];
  story?: string;
  deviations?: string;
  budget?: string;
  invariant?: string;
  seed?: string;
  timeout?: string;
  headerPrefix?: string;
  config?: string;
  save?: string;
  junit?: string;
  html?: string;
  json?: boolean;
  list?: boolean;
  demo?: boolean;
}

/** What to explore, but for how it is followed and cancelled. */
export type ExplorePlan = Omit<SurveyOptions, "signal" | "onProgress">;

const DEFAULT_DEVIATIONS = 3;
const DEFAULT_BUDGET = MINUTE;
/** The same for every run, so that a second one repeats the first. */
const DEFAULT_SEED = "explore";

/**
 * What to explore, from the command line and the configuration.
 * @throws SandboxError `bad_request`, naming the option and what it takes; `not_found` for an unknown story; `invalid_config`
 */
export async function readExploreOptions(url: string | undefined, flags: ExploreFlags): Promise<ExplorePlan> {
  const [
    { chooseStories },
    { remoteSubject },
    { isTables, workOn },
    { startServer },
    { openApi },
    { loadInvariant },
    { checkPaths },
  ] = await Promise.all([
    import("../trial/stories/sender-story.ts"),
    import("../trial/subject/remote.ts"),
    import("../trial/subject/tables.ts"),
    import("../trial/subject/server.ts"),
    import("../trial/subject/api.ts"),
    import("../trial/schedules/invariant.ts"),
    import("../trial/subject/state.ts"),
  ]);
  const receiver = readReceiver(url, "explore");
  const state = needed(
    "--state",
    flags.state,
    "a database, a URL that returns your server's state as JSON, or a shell command that prints it",
  );
  if (flags.tables !== undefined && !isTables(state))
    throw misuse(
      "--tables names tables of a database.",
      "For example --state sqlite:shop.db --tables orders",
    );
  const reset =
    (isTables(state) || flags.start !== undefined) && !flags.reset
      ? null
      : needed("--reset", flags.reset, "a URL, or a shell command, that makes its state empty");
  const cwd = process.cwd();
  const { settings, file } = await readConfigured(flags);
  const { webhooks } = settings.payments;
  const secret = readSecret(flags.secret, webhooks.secret, "explore", file);
  checkPaths(flags.ignore ?? [], "--ignore");
  checkPaths(flags.ordered ?? [], "--ordered");
  if (flags.seed === "")
    throw misuse("--seed must be a text that is not empty.", "For example --seed monday");
  const replay = flags.replay === undefined ? undefined : await readReplayed(flags.replay);
  const stories = await chooseStories(
    { ...flags, story: replay?.story ?? flags.story },
    settings,
    cwd,
    secret.secret,
  );
  const usual = stories[0]!.by?.sender.policy.timeout ?? webhooks.timeout;
  const timeout = readPositive("--timeout", flags.timeout, usual, "5s");
  const headerPrefix = readPrefix(flags.headerPrefix, flags.sender) ?? webhooks.headerPrefix;
  const invariant = flags.invariant === undefined ? null : await loadInvariant(flags.invariant, cwd);
  const deviations = replay ? 1 : readDeviations(flags.deviations);
  const shard = flags.shard === undefined ? undefined : readShard(flags.shard);
  const budget = readPositive("--budget", flags.budget, DEFAULT_BUDGET, "5m");
  if (flags.databaseEnv !== undefined && (flags.start === undefined || !isTables(state)))
    throw misuse(
      "--database-env names variables of a server that --start starts, with a database as its --state.",
      "For example --start 'node server.mjs' --state sqlite:shop.db --database-env DB_FILE",
    );
  if (flags.start === "")
    throw misuse("--start needs a shell command.", "For example --start 'node server.mjs'");
  const apiPort =
    flags.apiPort === undefined
      ? undefined
      : readPort("--api-port", flags.apiPort, "For example --api-port 4400");
  const startAt = flags.at === "now" ? wallNow() : parseInstant(flags.at ?? settings.startAt);
  // Last, as an error would leave them running.
  const sender = stories[0]?.by?.sender;
  const hasApi = !sender || sender.facts.api !== undefined;
  const api =
    apiPort === undefined && (flags.start === undefined || !hasApi)
      ? undefined
      : await openApi(apiPort ?? 0, sender);
  const env: Record<string, string> = { SANDGLASS_WEBHOOK_SECRET: secret.secret, ...api?.env };
  let work: RemoteOptions["work"];
  let server: OwnedServer | undefined;
  try {
    if (flags.start !== undefined && isTables(state)) {
      const variables = [...new Set(["DATABASE_URL", ...(flags.databaseEnv ?? [])])];
      work = { copy: await workOn(state), variables };
      for (const name of variables) env[name] = work.copy.valueFor(process.env[name], name);
    }
    if (flags.start !== undefined) server = await startServer(flags.start, receiver, env);
  } catch (error) {
    api?.close();
    await work?.copy.close();
    throw error;
  }
  return {
    stories,
    subject: Object.assign(
      remoteSubject({
        url: receiver,
        stateUrl: isAddress(state) ? readHttpUrl(state, "--state") : state,
        tables: flags.tables?.split(",").map((name) => name.trim()),
        resetBy: reset !== null && isAddress(reset) ? readHttpUrl(reset, "--reset") : reset,
        idleUrl: flags.idle === undefined ? undefined : readHttpUrl(flags.idle, "--idle"),
        ...{ server, work, api, timeout },
      }),
      { atNow: flags.at === "now" },
    ),
    ...secret,
    ...{ deviations, budget, timeout, invariant, shard },
    ...{ all: flags.all, only: replay?.schedule },
    ignore: flags.ignore ?? [],
    ordered: flags.ordered ?? [],
    seed: flags.seed ?? DEFAULT_SEED,
    settings: {
      ...{ ...settings, startAt },
      payments: { ...settings.payments, webhooks: { ...webhooks, headerPrefix } },
    },
  };
}

async function readConfigured({ config: named }: ExploreFlags) {
  const { config, file } = await loadConfig({
    cwd: process.cwd(),
    ...(named === undefined ? {} : { file: named }),
  });
  return { settings: resolveConfig(config, wallNow(), file), file };
}

/** @param text a schedule, or a file that has one */
async function readReplayed(text: string) {
  const { readReplay } = await import("../trial/findings/findings.ts");
  if (!existsSync(text)) return readReplay(text);
  const replay = readReplay(readTextFile(text, { name: text, code: "bad_request" }));
  // A story of one's own is code, and the file may be a stranger's.
  const place = relative(process.cwd(), resolve(replay.story));
  if (place.startsWith("..") || isAbsolute(place))
    throw misuse(
      `${text} names the story ${replay.story}, which is outside this folder.`,
      "If you trust it, pass the schedule itself: --replay '<story>: <deviation>@<attempt>'.",
    );
  return replay;
}

function needed(option: string, value: string | undefined, what: string): string {
  if (value) return value;
  throw misuse(
    `explore needs ${option}: ${what}.`,
    "For example --state sqlite:shop.db, whose tables explore puts back. Otherwise serve both in development: --state http://127.0.0.1:3000/state --reset http://127.0.0.1:3000/reset",
  );
}

function readDeviations(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DEVIATIONS;
  if (/^[1-9]$/.test(text)) return Number(text);
  throw misuse(
    `--deviations must be a whole number from 1 to 9, not '${text}'.`,
    "For example --deviations 2",
  );
}

function readPositive(option: string, text: string | undefined, byDefault: number, example: string): number {
  if (text === undefined) return byDefault;
  const duration = parseDuration(text);
  if (duration > 0) return duration;
  throw misuse(`${option} must be longer than 0.`, `For example ${option} ${example}`);
}
