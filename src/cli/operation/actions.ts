import { closest } from "../../errors/closest.ts";
import { misuse } from "../../errors/errors.ts";

/**
 * Returns the action that a command's first argument names.
 * @throws SandboxError `bad_request`, with the closest action
 */
export function chooseAction<Action>(
  command: string,
  actions: Readonly<Record<string, Action>>,
  name: string,
): Action {
  if (Object.hasOwn(actions, name)) return actions[name]!;
  const names = Object.keys(actions);
  const meant = closest(name, names);
  throw misuse(
    `${command} cannot '${name}'.`,
    meant ? `Did you mean: npx sandglass ${command} ${meant}` : `Choose one of: ${names.join(", ")}.`,
  );
}

/** Parses a whole number from the command line. @throws SandboxError `bad_request` */
export function readCount(text: string, option: string, { least = 1, most = 1_000_000_000 } = {}): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const limits = most === 1_000_000_000 ? `from ${least}` : `from ${least} to ${most}`;
  throw misuse(
    `${option} must be a whole number ${limits}, not '${text}'.`,
    `For example: ${option} ${Math.max(least, 2)}`,
  );
}
