import { EVERY_ADDRESS, type Settings } from "../../config/config.ts";
import { DEFAULT_HOST } from "../../config/description.ts";
import { misuse } from "../../errors/errors.ts";
import { FORMATS } from "../../schema/formats.ts";
import { type ClockMode, MAX_RATE, wallNow } from "../../world/clock.ts";
import { parseInstant } from "../../world/duration.ts";
import { flagOf } from "../command-options.ts";

type Reader<Value> = readonly [expected: string, example: string, read: (text: string) => Value | undefined];

const some = (text: string) => (text === "" ? undefined : text);

const READERS = {
  port: ["a whole number from 0 to 65535", "4500", (text) => wholeIn(text, 0, 65_535)],
  host: ["an address of this machine", "127.0.0.1", some],
  publicUrl: [
    FORMATS["own-address"]!.expected,
    "https://sandbox.example",
    (text) => FORMATS["own-address"]!.read(text) as string | undefined,
  ],
  seed: ["a text that is not empty", "tuesday", some],
  startAt: [
    "a point in time between 1970 and 9999 in ISO 8601, or 'now'",
    "2026-01-15T09:00:00Z",
    (text) => (text === "now" ? wallNow() : instant(text)),
  ],
  from: ["a scenario, a snapshot file or a folder of fixtures", "./fixtures", some],
  rate: [
    `a number above 0 and at most ${MAX_RATE}`,
    "60",
    (text) => numberIn(text, Number.MIN_VALUE, MAX_RATE),
  ],
  rateLimit: [
    "a whole number from 1 to 1000000, or 'off'",
    "off",
    (text) => (text === "off" ? "off" : wholeIn(text, 1, 1_000_000)),
  ],
  dataDir: ["the name of a folder", "./sandbox-data", some],
} as const satisfies Record<string, Reader<string | number>>;

export interface StartOptions extends Partial<Record<keyof typeof READERS, string>> {
  share?: boolean;
  paused?: boolean;
  sender?: string[];
  config?: string;
  open?: boolean;
  json?: boolean;
  quiet?: boolean;
}

type Read = { [Name in keyof typeof READERS]: ReturnType<(typeof READERS)[Name][2]> };

/** The validated options; missing ones are undefined. */
export interface StartFlags extends Partial<Read> {
  share: boolean | undefined;
  mode: ClockMode | undefined;
  senders: readonly string[];
}

/** @throws SandboxError `bad_request`, naming the option and its values */
export function readFlags(options: StartOptions): StartFlags {
  const read = Object.entries(READERS).map(([name, [expected, example, reader]]) => {
    const text = options[name as keyof Read];
    const value = text === undefined ? undefined : reader(text);
    if (text === undefined || value !== undefined) return [name, value];
    const flag = flagOf(name);
    throw misuse(`${flag} must be ${expected}, not '${text}'.`, `For example ${flag} ${example}`);
  });
  const flags = Object.fromEntries(read) as Partial<Read>;
  const running = flags.rate === undefined ? undefined : flags.rate === 1 ? "live" : "scaled";
  return {
    ...flags,
    share: options.share,
    mode: options.paused ? "paused" : running,
    senders: options.sender ?? [],
  };
}

/**
 * Flags win over the configuration, which was resolved with their senders.
 * @throws SandboxError `bad_request` if an area has the port already
 */
export function applyFlags(settings: Settings, flags: StartFlags): Settings {
  const area = Object.entries(settings.ports).find(([, own]) => own !== 0 && own === flags.port)?.[0];
  if (area !== undefined)
    throw misuse(
      `--port must be another port than ports.${area} of the configuration, not ${flags.port}.`,
      "For example --port 0, for any free one.",
    );
  const { clock, payments } = settings;
  const { mode, rate, rateLimit, senders: _, ...others } = flags;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...settings,
    ...(flags.share && settings.host === DEFAULT_HOST && { host: EVERY_ADDRESS }),
    ...given,
    from: chosenFrom(settings, flags),
    clock: { mode: mode ?? clock.mode, rate: rate ?? clock.rate },
    payments: { ...payments, rateLimit: rateLimit ?? payments.rateLimit },
  };
}

/** Flags appear beside `from`, so they win over it. */
function chosenFrom({ from }: Settings, flags: StartFlags): Settings["from"] {
  const { seed, startAt } = flags;
  if (flags.from !== undefined) return { path: flags.from, seed, startAt, base: from };
  return from && { path: from.path, seed: seed ?? from.seed, startAt: startAt ?? from.startAt };
}

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
