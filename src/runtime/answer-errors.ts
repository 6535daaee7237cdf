/** The most that the headers of an answer may have. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** The code of an error whose message says, as the end of a sentence, what is wrong with the status of an answer. */
export const INVALID_STATUS = "ERR_INVALID_STATUS";

/** What is wrong with the status of an answer to a request that asks for no upgrade. */
export function statusError(status: number): Error | undefined {
  const flaw =
    status === 101
      ? "101 Switching Protocols, which the request did not ask for"
      : status < 100 && `${String(status).padStart(3, "0")}, which is not an HTTP status`;
  return flaw ? Object.assign(new Error(`answered ${flaw}`), { code: INVALID_STATUS }) : undefined;
}
