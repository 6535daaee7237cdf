import { invalidState, type SandboxError } from "../../errors/errors.ts";
import { EMPTY_ANSWER } from "../outside/undescribed.ts";
import { printedWords } from "../subject/output.ts";
import { deviationIn } from "./deviations/index.ts";
import type { Run } from "./run.ts";

/**
 * The error for a wrong run in which a handler failed right after an undescribed host responded with {}: with the real
 * response, it might not have failed.
 * @returns undefined for any other run
 */
export function failedAfterEmpty({ attempts }: Run): SandboxError | undefined {
  for (const sent of attempts) {
    const { event, status, statements, printed } = sent;
    const { keepsFromWork, server } = deviationIn(sent) ?? {};
    const last = statements.at(-1);
    const hasFailed = sent.hasEnded || (status !== null && status >= 500);
    if (!hasFailed || keepsFromWork || server || last?.result !== EMPTY_ANSWER) continue;
    return invalidState(
      `Inconclusive: ${event} got ${status ?? "no response"} right after ${last.text} got the placeholder response ${EMPTY_ANSWER}${printedWords(printed)}.`,
      "Describe the service's responses in a services file, or add its host to subject.allow.",
    );
  }
  return undefined;
}
