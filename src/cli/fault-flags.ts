import { SandboxError } from "../errors/errors.ts";
import { readCount } from "./actions.ts";

/** Flags that limit a fault. */
export interface FaultLimits {
  times?: string | undefined;
  rate?: string | undefined;
}

/**
 * The limits of a fault, as the control API takes them.
 * @throws SandboxError `bad_request`
 */
export function readLimits({ times, rate }: FaultLimits): { times?: number; rate?: number } {
  return {
    ...(times !== undefined && { times: readCount(times, "--times") }),
    ...(rate !== undefined && { rate: readShare(rate) }),
  };
}

function readShare(text: string): number {
  const share = text.trim() === "" ? Number.NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new SandboxError(
    "bad_request",
    `--rate must be a number from 0 to 1, not '${text}'.`,
    "For example --rate 0.3",
  );
}

/**
 * An HTTP status from the command line.
 * @throws SandboxError `bad_request`
 */
export function readStatus(
  text: string,
  name: string,
  { least, most }: { least: number; most: number },
): number {
  const status = /^\d{3}$/.test(text) ? Number(text) : Number.NaN;
  if (status >= least && status <= most) return status;
  throw new SandboxError(
    "bad_request",
    `${name} must be a number from ${least} to ${most}, not '${text}'.`,
    "For example 503.",
  );
}
