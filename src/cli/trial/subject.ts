import { basename } from "node:path";
import { resolveConfig, type Settings } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { SubjectSettings } from "../../config/subject.ts";
import { misuse } from "../../errors/errors.ts";
import { isAddress, readHttpUrl } from "../../runtime/http-url.ts";
import type { Known } from "../../senders/known.ts";
import { madeSecret } from "../../senders/secret-variable.ts";
import { isTables, stateSource } from "../../trial/database/source.ts";
import { refuseAddress } from "../../trial/subject/command.ts";
import { isInbox } from "../../trial/subject/remote-state.ts";
import type { Routes } from "../../webhooks/sender-file.ts";
import { wallNow } from "../../world/clock.ts";
import { parseDuration, parseInstant } from "../../world/duration.ts";
import { namesIn, readKnown } from "../named-values.ts";
import { readCount } from "../operation/actions.ts";

/** Flags about the server under test, as parsed by commander. Each flag overrides its setting. */
export interface SubjectFlags {
  secret?: string;
  oldSecret?: string;
  sender?: string;
  events?: string;
  known?: string[];
  state?: string;
  reset?: string;
  inPlace?: boolean;
  start?: string;
  story?: string;
  deviations?: string;
  budget?: string;
  all?: boolean;
  skip?: string;
  instances?: string;
  config?: string;
}

/** Flags of the commands that test a server. */
export interface TrialFlags extends SubjectFlags {
  shard?: string;
  yes?: boolean;
  junit?: string;
  html?: string;
  json?: boolean;
}

export type TrialCommand = "check" | "explore" | "test" | "run";

/** The server under test, according to the command line and the configuration. */
export interface SubjectFacts
  extends Omit<SubjectSettings, "url" | "secret" | "at" | "budget" | "startTimeout" | "known"> {
  settings: Settings;
  /** The name of the configuration file; undefined if the project has no such file. */
  file: string | undefined;
  /** The server's only webhook URL, or its default for event types without a path of their own. */
  url: string;
  /** Paths by event type, if the configuration has several URLs. */
  routes?: Routes | undefined;
  known?: Known | undefined;
  secret: string;
  /** The source of the secret, for messages: `that of --secret`. */
  secretFrom: string;
  /** The environment variables in which a started server receives the secret. */
  secretVariables: readonly string[];
  /** The virtual time at which stories start, in milliseconds. */
  startAt: number;
  /** Whether `startAt` is the machine's current time. */
  atNow: boolean;
  /** In real milliseconds. */
  budget: number;
  /** Whether --budget was given. */
  isLimited?: boolean;
  startTimeout: number;
  /** Additional environment variables for a started server. */
  env?: Readonly<Record<string, string>>;
  /** See `ServerStart`. */
  elsewhere?: number;
  signal?: AbortSignal;
}

const SECRET = "SANDGLASS_WEBHOOK_SECRET";

/**
 * Reads the flags and settings of `check`, `explore`, `test` and `run` about the server under test.
 * @throws SandboxError `bad_request` with the flag or setting and its valid values; `invalid_config`
 */
export async function readSubject(
  command: TrialCommand,
  url: string | undefined,
  flags: SubjectFlags,
): Promise<SubjectFacts> {
  const { config, file } = await loadConfig(flags.config);
  const now = wallNow();
  const settings = resolveConfig(config, now, file);
  const { subject } = settings;
  const { url: receiver, routes } = readReceivers(url ?? subject.url, command);
  const start = flags.start ?? subject.start;
  if (start === "") throw misuse("--start needs a shell command.", "For example: --start 'node server.mjs'");
  // Settings for one sender do not apply to another.
  const isOther = flags.sender !== undefined && flags.sender !== subject.sender;
  const { events, stories, known, version }: Partial<SubjectSettings> = isOther ? {} : subject;
  const [given, reset] = [flags.state ?? subject.state, flags.reset ?? subject.reset];
  const state = given && stateSource(given, subject.databaseEnv);
  if (state !== undefined && !isTables(state) && !isInbox(state)) refuseAddress("state", state);
  if (reset !== undefined) refuseAddress("reset", reset);
  const countIn = (name: "instances" | "deviations", most: number): number =>
    flags[name] === undefined ? subject[name] : readCount(flags[name], `--${name}`, { most });
  return {
    ...subject,
    ...{ settings, file, url: receiver, routes, start },
    ...readSecret(flags, settings, command, start === undefined ? undefined : receiver, file),
    oldSecret: flags.oldSecret ?? variable("oldSecret", subject.oldSecret),
    sender: flags.sender ?? subject.sender,
    events: flags.events ?? (flags.story === undefined ? events : undefined),
    stories: flags.story === undefined ? stories : [flags.story],
    known: readKnown(flags.known, known),
    version,
    ...{ state, reset },
    inPlace: flags.inPlace ?? subject.inPlace,
    deviations: countIn("deviations", 9),
    budget: readBudget(flags.budget) ?? parseDuration(subject.budget),
    isLimited: flags.budget !== undefined,
    startTimeout: parseDuration(subject.startTimeout),
    instances: countIn("instances", 8),
    all: flags.all ?? subject.all,
    skip: namesIn(flags.skip) ?? subject.skip,
    startAt: subject.at === "now" ? now : parseInstant(subject.at ?? settings.startAt),
    atNow: subject.at === "now",
  };
}

/** Whether the server is started on a copy of its database. A store behind an HTTP API has its own database. */
export const worksOnCopy = ({
  start,
  state,
  gate,
}: Pick<SubjectFacts, "start" | "state" | "gate">): boolean =>
  start !== undefined && gate.length === 0 && isTables(state ?? "");

export const WORKER = "{worker}";

/** A copy of the facts for one worker's server: placeholders get the worker's number, and URLs get its port. */
export function ofWorker(facts: SubjectFacts, number = 1, own = new URL(facts.url)): SubjectFacts {
  const filled = (text: string | undefined) => {
    if (text === undefined || !isAddress(text)) return text?.replaceAll(WORKER, String(number));
    const url = new URL(readHttpUrl(text, "An address of the server"));
    if (url.host === new URL(facts.url).host) url.port = own.port;
    return url.href;
  };
  const { start, state, reset, idle, apiPort } = facts;
  return {
    ...{ ...facts, url: own.href, start: filled(start) },
    ...{ state: filled(state), reset: filled(reset), idle: filled(idle) },
    apiPort: own.href === facts.url ? apiPort : undefined,
  };
}

/** Parses a subscriber's URLs, which must all belong to one server. @throws SandboxError `bad_request` */
function readReceivers(
  url: SubjectSettings["url"],
  command: TrialCommand,
): Pick<SubjectFacts, "url" | "routes"> {
  if (typeof url !== "object") return { url: readReceiver(url, command) };
  const all = Object.entries(url).map(
    ([type, text]) => [type, new URL(readReceiver(text, command))] as const,
  );
  const [[first, { origin }]] = all as [(typeof all)[number]];
  const other = all.find(([, one]) => one.origin !== origin);
  if (other)
    throw misuse(
      `The addresses in subject.url must be on one server: ${first} is at ${origin}, and ${other[0]} at ${other[1].origin}.`,
      "Give each type a path on the same host and port.",
    );
  const routes = Object.fromEntries(all.map(([type, { pathname, search }]) => [type, pathname + search]));
  return { url: new URL(routes["*"] ?? routes[first]!, origin).href, routes };
}

/** Parses a subscriber's URL. @throws SandboxError `bad_request` */
function readReceiver(text: string | undefined, command: TrialCommand): string {
  if (text === undefined)
    throw misuse(
      `${command} needs your server's webhook URL.`,
      `Set subject.url in the configuration, or pass it: npx sandglass ${command}${command === "run" ? " --subscriber" : ""} http://127.0.0.1:3000/webhooks --secret whsec_…${command === "check" ? "" : " --state sqlite:shop.db"}`,
    );
  const url = new URL(readHttpUrl(text, "The subscriber's address"));
  if (url.username !== "" || url.password !== "")
    throw misuse(
      "The subscriber's URL must not contain a user name or password.",
      "The platform refuses such URLs as well: verify the signature instead.",
    );
  url.hash = "";
  return url.href;
}

/**
 * The value of the environment variable whose name is in a setting. @throws SandboxError `bad_request` if it is not set
 */
function variable(setting: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const { [name]: value } = process.env;
  if (value) return value;
  throw misuse(
    `subject.${setting} refers to the environment variable ${name}, which is not set.`,
    `Set it to your server's secret, or pass --${setting === "secret" ? "secret" : "old-secret"}.`,
  );
}

/**
 * The subscriber's secret and where it comes from: the flag, the environment or the configuration. If the configured
 * variable is empty, Sandglass generates a secret for a server that it starts.
 * @param started the URL of that server
 * @throws SandboxError `bad_request`
 */
function readSecret(
  { secret: flag, sender }: Pick<SubjectFlags, "secret" | "sender">,
  { subject, webhooks }: Settings,
  command: TrialCommand,
  started: string | undefined,
  file = "the configuration",
): Pick<SubjectFacts, "secret" | "secretFrom" | "secretVariables"> {
  const name = subject.secret ?? SECRET;
  const secretVariables = [...new Set([SECRET, name])];
  const { [name]: exported } = process.env;
  if (flag === undefined && !exported && subject.secret !== undefined) {
    if (started === undefined) variable("secret", name);
    return {
      secret: madeSecret(sender ?? subject.sender ?? "", started!),
      secretFrom: `generated for this run, in ${name}`,
      secretVariables,
    };
  }
  const [secret = "", secretFrom] =
    flag !== undefined
      ? [flag, "the secret in --secret"]
      : exported !== undefined
        ? [exported, `the secret in ${name} in this command's environment`]
        : [webhooks.secret, `webhooks.secret of ${basename(file)}`];
  if (secret !== "") return { secret, secretFrom, secretVariables };
  throw misuse(
    flag === undefined ? `${command} needs the secret that your server verifies with.` : "--secret is empty.",
    `Give both sides the same secret: start your server with ${SECRET}=whsec_test in its environment, and pass --secret whsec_test, set the same variable here, or configure webhooks.secret.`,
  );
}

function readBudget(text: string | undefined): number | undefined {
  const budget = text === undefined ? undefined : parseDuration(text);
  if (budget !== 0) return budget;
  throw misuse("--budget must be longer than 0.", "For example: --budget 5m");
}
