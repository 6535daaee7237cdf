import type { OptionSpec } from "./command.ts";

/** Options that many commands share. */

export const json = (what: string): OptionSpec => ({ flags: "--json", summary: what });

/** Which sandbox a command talks to; `withWorld` adds which of its worlds. */
export const server: OptionSpec = {
  flags: "--url <url>",
  summary:
    "the sandbox to talk to, or the link of a shared one (default: SANDGLASS_URL, else the port of the configuration here, or 4400)",
};

const world: OptionSpec = {
  flags: "--world <name>",
  summary: "one of its worlds (default: the one that the address names, else the default world)",
};

/** A command that talks to a running sandbox can talk to each of its worlds. */
export function withWorld<Spec extends { options: OptionSpec[] }>(spec: Spec): Spec {
  const options = spec.options.flatMap((option) => (option === server ? [server, world] : [option]));
  return { ...spec, options };
}
