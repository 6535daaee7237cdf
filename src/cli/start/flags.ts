import { EVERY_ADDRESS, type Settings } from "../../config/config.ts";
import { DEFAULT_HOST } from "../../config/description.ts";
import { misuse } from "../../errors/errors.ts";
import { FORMATS } from "../../schema/formats.ts";
import { type ClockMode, MAX_RATE } from "../../world/clock.ts";
import { parseInstant } from "../../world/duration.ts";

/** The options of `start`, as commander gives them. */
export interface StartOptions {
  port?: string;
  host?: string;
  share?: boolean;
  publicUrl?: string;
  seed?: string;
  startAt?: string;
  from?: string;
  paused?: boolean;
  rate?: string;
  rateLimit?: string;
  dataDir?: string;
  sender?: string[];
  config?: string;
  open?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/** What the options say, checked; what was not given is undefined. */
export interface StartFlags {
  port: number | undefined;
  host: string | undefined;
  share: boolean | undefined;
  publicUrl: string | undefined;
  seed: string | undefined;
  startAt: number | undefined;
  from: string | undefined;
  clock: { mode: ClockMode | undefined; rate: number | undefined };
  rateLimit: number | "off" | undefined;
  dataDir: string | undefined;
  senders: readonly string[];
}

/** @throws SandboxError `bad_request`, naming the option and what it takes */
export function readFlags(options: StartOptions, now: number): StartFlags {
  const rate = read(options.rate, "--rate", `a number above 0 and at most ${MAX_RATE}`, "--rate 60", (text) =>
    numberIn(text, Number.MIN_VALUE, MAX_RATE),
  );
  const running: ClockMode | undefined = rate === undefined ? undefined : rate === 1 ? "live" : "scaled";
  return {
    port: read(options.port, "--port", "a whole number from 0 to 65535", "--port 4500", (text) =>
      wholeIn(text, 0, 65_535),
    ),
    host: read(options.host, "--host", "an address of this machine", "--host 127.0.0.1", some),
    share: options.share,
    publicUrl: read(
      options.publicUrl,
      "--public-url",
      FORMATS["own-address"]!.expected,
      "--public-url https://sandbox.example",
      (text) => FORMATS["own-address"]!.read(text) as string | undefined,
    ),
    seed: read(options.seed, "--seed", "a text that is not empty", "--seed tuesday", some),
    startAt: read(
      options.startAt,
      "--start-at",
      "a point in time between 1970 and 9999 in ISO 8601, or 'now'",
      "--start-at 2026-01-15T09:00:00Z",
      (text) => (text === "now" ? now : instant(text)),
    ),
    from: read(
      options.from,
      "--from",
      "a scenario, a snapshot file or a folder of fixtures",
      "--from ./fixtures",
      some,
    ),
    clock: { mode: options.paused ? "paused" : running, rate },
    rateLimit: read(
      options.rateLimit,
      "--rate-limit",
      "a whole number from 1 to 1000000, or 'off'",
      "--rate-limit off",
      (text) => (text === "off" ? "off" : wholeIn(text, 1, 1_000_000)),
    ),
    dataDir: read(options.dataDir, "--data-dir", "the name of a folder", "--data-dir ./sandbox-data", some),
    senders: options.sender ?? [],
  };
}

/**
 * Flags win over the configuration.
 * @throws SandboxError `bad_request` if an area has the port already
 */
export function applyFlags(settings: Settings, flags: StartFlags): Settings {
  const area = Object.entries(settings.ports).find(([, own]) => own !== 0 && own === flags.port)?.[0];
  if (area !== undefined)
    throw misuse(
      `--port must be another port than ports.${area} of the configuration, not ${flags.port}.`,
      "For example --port 0, for any free one.",
    );
  return {
    ...settings,
    port: flags.port ?? settings.port,
    host: flags.host ?? (flags.share && settings.host === DEFAULT_HOST ? EVERY_ADDRESS : settings.host),
    share: flags.share ?? settings.share,
    publicUrl: flags.publicUrl ?? settings.publicUrl,
    seed: flags.seed ?? settings.seed,
    startAt: flags.startAt ?? settings.startAt,
    from: chosenFrom(settings, flags),
    clock: { mode: flags.clock.mode ?? settings.clock.mode, rate: flags.clock.rate ?? settings.clock.rate },
    dataDir: flags.dataDir ?? settings.dataDir,
    senders: [...settings.senders, ...flags.senders],
    payments: { ...settings.payments, rateLimit: flags.rateLimit ?? settings.payments.rateLimit },
  };
}

/** What is named by flags counts as named beside `from`. */
function chosenFrom({ from }: Settings, flags: StartFlags): Settings["from"] {
  const { seed, startAt } = flags;
  if (flags.from !== undefined) return { path: flags.from, seed, startAt, base: from };
  return from && { path: from.path, seed: seed ?? from.seed, startAt: startAt ?? from.startAt };
}

function read<T>(
  text: string | undefined,
  option: string,
  expected: string,
  example: string,
  reader: (text: string) => T | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  const value = reader(text);
  if (value !== undefined) return value;
  throw misuse(`${option} must be ${expected}, not '${text}'.`, `For example ${example}`);
}

const some = (text: string) => (text === "" ? undefined : text);

const wholeIn = (text: string, least: number, most: number) =>
  /^\d+$/.test(text) ? numberIn(text, least, most) : undefined;

function numberIn(text: string, least: number, most: number): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return value >= least && value <= most ? value : undefined;
}

function instant(text: string): number | undefined {
  try {
    return parseInstant(text);
  } catch {
    return undefined;
  }
}
