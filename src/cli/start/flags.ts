import { EVERY_ADDRESS, type Settings } from "../../config/config.ts";
import { CONFIG, DEFAULT_HOST } from "../../config/description.ts";
import { misuse } from "../../errors/errors.ts";
import { check, fits } from "../../schema/check.ts";
import { createMistakes } from "../../schema/mistakes.ts";
import type { Schema, Value } from "../../schema/schema.ts";
import { type ClockMode, wallNow } from "../../world/clock.ts";
import { flagOf } from "../command-options.ts";

const { port, host, publicUrl, seed, startAt, from, clock, payments, ports, dataDir } = CONFIG.properties;
const SETTINGS = {
  ...{ port, host, publicUrl, seed, startAt, from, dataDir },
  rate: clock.properties.rate,
  apiPort: ports.properties.api,
  rateLimit: payments.properties.rateLimit,
};

export interface StartOptions extends Partial<Record<keyof typeof SETTINGS, string>> {
  share?: boolean;
  paused?: boolean;
  sender?: string[];
  config?: string;
  open?: boolean;
  json?: boolean;
  quiet?: boolean;
}

type Read = { [Name in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[Name]> };

/** The validated options; options that were not given are undefined. */
export interface StartFlags extends Partial<Omit<Read, "startAt">> {
  /** In milliseconds. */
  startAt: number | undefined;
  share: boolean | undefined;
  mode: ClockMode | undefined;
  senders: readonly string[];
}

/** @throws SandboxError `bad_request` with the option and its valid values */
export function readFlags(options: StartOptions): StartFlags {
  const read = Object.entries<Schema>(SETTINGS).map(([name, schema]) => {
    const text = options[name as keyof Read];
    return [name, text === undefined ? undefined : readSetting(flagOf(name), schema, text)];
  });
  const flags = Object.fromEntries(read) as Partial<Omit<Read, "startAt">> & { startAt?: number | "now" };
  const running = flags.rate === undefined ? undefined : flags.rate === 1 ? "live" : "scaled";
  return {
    ...flags,
    startAt: flags.startAt === "now" ? wallNow() : flags.startAt,
    share: options.share,
    mode: options.paused ? "paused" : running,
    senders: options.sender ?? [],
  };
}

/** Reads a flag the way the configuration reads its setting. @throws SandboxError `bad_request` */
function readSetting(flag: string, schema: Schema, text: string): unknown {
  const number = schema.type === "number" || /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isNumber = (schema.anyOf ?? [schema]).some((option) => fits(option, number));
  const wanted: string[] = [];
  const mistakes = {
    ...createMistakes(flag),
    add: (_: string, expected: string) => void wanted.push(expected),
  };
  const value = check(schema, isNumber ? number : text, mistakes);
  if (wanted.length === 0) return value;
  const example = schema.examples?.[0] ?? schema.default;
  throw misuse(`${flag} must be ${wanted[0]}, not '${text}'.`, `For example: ${flag} ${example}`);
}

/**
 * Applies the flags, which override the configuration. The configuration was already resolved with their senders.
 * @throws SandboxError `bad_request` if an area already uses the port
 */
export function applyFlags(settings: Settings, flags: StartFlags): Settings {
  const area = Object.entries(settings.ports).find(([, own]) => own !== 0 && own === flags.port)?.[0];
  if (area !== undefined)
    throw misuse(
      `--port must be a different port from ports.${area} in the configuration, not ${flags.port}.`,
      "For example, --port 0 picks any free port.",
    );
  const { clock, payments } = settings;
  const { mode, rate, rateLimit, apiPort, senders: _, ...others } = flags;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...settings,
    ...(flags.share && settings.host === DEFAULT_HOST && { host: EVERY_ADDRESS }),
    ...given,
    from: chosenFrom(settings, flags),
    clock: { mode: mode ?? clock.mode, rate: rate ?? clock.rate },
    payments: { ...payments, rateLimit: rateLimit ?? payments.rateLimit },
    ports: { ...settings.ports, ...(apiPort !== undefined && { api: apiPort }) },
  };
}

/** Flags such as `--seed` override what the file in `from` specifies. */
function chosenFrom({ from }: Settings, flags: StartFlags): Settings["from"] {
  const { seed, startAt } = flags;
  if (flags.from !== undefined) return { path: flags.from, seed, startAt, base: from };
  return from && { path: from.path, seed: seed ?? from.seed, startAt: startAt ?? from.startAt };
}
