import type { OptionSpec } from "./command.ts";

/** Options that many commands share. */

export const json = (what: string): OptionSpec => ({ flags: "--json", summary: what });

/** Which sandbox a command talks to; `withWorld` adds which of its worlds. */
export const server: OptionSpec = {
  flags: "--url <url>",
  summary:
    "the sandbox to talk to, or the link of a shared one (default: SANDGLASS_URL, else the one that runs in this folder, else the port of its configuration, or 4400)",
};

export const world: OptionSpec = {
  flags: "--world <name>",
  summary: "one of its worlds (default: the one that the address names, else the default world)",
};

/** A command that talks to a running sandbox can talk to each of its worlds. */
export function withWorld<Spec extends { options: OptionSpec[] }>(spec: Spec): Spec {
  const options = spec.options.flatMap((option) => (option === server ? [server, world] : [option]));
  return { ...spec, options };
}

/** How the world of a new sandbox begins. */
export const startingWorld: OptionSpec[] = [
  { flags: "--seed <text>", summary: "seed for data and chance; 'empty' creates no fixtures" },
  { flags: "--start-at <time>", summary: "virtual time at the start, ISO 8601 or 'now'" },
  {
    flags: "--from <what>",
    summary: "begin with a folder of fixtures, a scenario (where it ends), or a snapshot file",
  },
  {
    flags: "--sender <name|file>",
    summary: "send the webhooks of another sender as well, such as stripe; may be repeated",
    repeatable: true,
  },
  { flags: "--paused", summary: "start with a paused clock" },
  { flags: "--rate <number>", summary: "virtual seconds per real second" },
  { flags: "--rate-limit <n|off>", summary: "API calls per minute and key (default: 120)" },
];
