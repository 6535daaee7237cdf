import type { Act } from "./operation/acts.ts";

export interface Invocation<Flags = Record<string, unknown>> {
  /** The command's arguments, in order; undefined for an omitted optional argument. */
  args: (string | undefined)[];
  options: Flags;
}

/** Runs a command. Resolves with the exit code, or with undefined for 0. */
export type RunCommand<Flags> = (call: Invocation<Flags>) => Promise<number | undefined>;

export interface OptionSpec {
  flags: string;
  summary: string;
  /** Whether the option may be repeated: the command then gets a list. */
  repeatable?: boolean;
}

/** A command as data, for the help. Its code is loaded only when the command runs. */
export interface CommandSpec {
  name: string;
  summary: string;
  /** The placeholder, such as `<session>` or `[duration]`, and a description. */
  args?: [placeholder: string, summary: string][];
  /** The actions with their arguments, if the first argument selects an action. */
  actions?: readonly string[] | undefined;
  /** Options that users try by mistake, and the hint for them. Arguments after `--` are not options. */
  mistaken?: { option: RegExp; hint: string };
  /** Flags that earlier versions had, with their replacements. */
  removed?: Readonly<Record<string, string>>;
  options: OptionSpec[];
  /** The actions, if the command is built from operations. */
  acts?: Readonly<Record<string, Act>>;
  examples: [command: string, what: string][];
  load: () => Promise<{ run: RunCommand<never> }>;
}
