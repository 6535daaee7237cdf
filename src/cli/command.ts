import type { Act } from "./acts.ts";

/** What a command gets from the command line. */
export interface Invocation<Flags = Record<string, unknown>> {
  /** Its arguments, in order; undefined for an optional one that was left out. */
  args: (string | undefined)[];
  options: Flags;
}

/** Runs a command. Resolves with the exit code; none means 0. */
export type RunCommand<Flags> = (call: Invocation<Flags>) => Promise<number | undefined>;

export interface OptionSpec {
  flags: string;
  summary: string;
  /** May be given several times: the command gets a list. */
  repeatable?: boolean;
}

/** A command as data: what help needs. Its code is loaded when it is run. */
export interface CommandSpec {
  name: string;
  summary: string;
  /** Placeholder, such as `<session>` or `[duration]`, and what it is. */
  args?: [placeholder: string, summary: string][];
  /** Its actions with their arguments, if its first argument names one. */
  actions?: readonly string[] | undefined;
  /** Options that it does not have, and the hint for them. What comes after `--` is not an option. */
  mistaken?: { option: RegExp; hint: string };
  /** Flags of earlier versions, with what takes their place. */
  removed?: Readonly<Record<string, string>>;
  options: OptionSpec[];
  /** Its actions, if it is made of operations. */
  acts?: Readonly<Record<string, Act>>;
  examples: [command: string, what: string][];
  load: () => Promise<{ run: RunCommand<never> }>;
}
