import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { internalError, misuse } from "../errors/errors.ts";
import { fileError, reasonOf } from "../errors/file-error.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { refuseLinks } from "../runtime/private-files.ts";

/** A request from a real sender, as stored on one line of a capture. */
export interface CapturedRequest {
  /** When the request arrived, by the machine's clock, in ISO 8601 format. */
  time: string;
  method: string;
  /** The path and query exactly as the sender wrote them. */
  path: string;
  /**
   * The headers with their names as the sender wrote them, without cookies and authorization. Repeated headers are
   * joined by `, `.
   */
  headers: Record<string, string>;
  /** The received body, either as text or in base64. */
  body: string;
  /** Set if `body` is base64, because its bytes are not UTF-8. */
  base64?: true;
  /** The status that the sender received; null if it closed the connection first. */
  status: number | null;
  /** The reason why the sender did not receive your server's response. */
  error?: string;
}

export interface CapturedLine extends CapturedRequest {
  /** The number of the line in the file, starting at 1. */
  line: number;
}

export const bodyBytes = ({ body, base64 }: Pick<CapturedRequest, "body" | "base64">): Buffer =>
  Buffer.from(body, base64 ? "base64" : "utf8");

/**
 * Reads a capture, which is NDJSON with one request per line. An incomplete last line, left by a killed process, is
 * ignored.
 * @param name the file name for errors
 * @throws SandboxError `bad_request` with the number of the first invalid line
 */
export function readCapture(text: string, name: string): CapturedLine[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const request = readLine(line);
    if (request !== undefined) return [{ ...request, line: index + 1 }];
    if (index === lines.length - 1) return [];
    throw misuse(
      `Line ${index + 1} of ${name} is not a captured request.`,
      "Each line must be a JSON object with time, method, path, headers, body and status.",
    );
  });
}

function readLine(line: string): CapturedRequest | undefined {
  try {
    const { time, method, path, headers, body, base64, status, error } = JSON.parse(line);
    const texts = [time, method, path, body, ...Object.values(headers as object)];
    if (texts.some((value) => typeof value !== "string") || Number.isNaN(Date.parse(time))) return undefined;
    return {
      ...{ time, method, path, headers, body },
      ...(base64 === true && { base64 }),
      status: typeof status === "number" ? status : null,
      ...(typeof error === "string" && { error }),
    };
  } catch {
    return undefined;
  }
}

const NEWLINE = 10;
const STEP = 64 * 1024;

/**
 * Opens a capture for appending. An incomplete last line, left by a killed process, is removed first.
 * @throws SandboxError `bad_request` if it cannot be written
 */
export function openCapture(file: string) {
  let descriptor: number;
  /** The total size of the complete lines, in bytes. */
  let size: number;
  try {
    refuseLinks(file);
    makeFolder(dirname(resolve(file)));
    descriptor = openSync(file, "a+", 0o600);
    if (!fstatSync(descriptor).isFile()) throw new Error("it is not a regular file");
    size = endOfLastLine(descriptor);
    ftruncateSync(descriptor, size);
  } catch (error) {
    throw fileError("write", file, error, "Choose another file with --out.");
  }

  return {
    /**
     * Appends a request. Once it returns, the operating system has the whole line, so nothing is lost if this process
     * is killed.
     * @throws SandboxError `internal` if the line cannot be written. The earlier lines are kept, and more can be added.
     */
    add(request: CapturedRequest): void {
      const line = Buffer.from(`${JSON.stringify(request)}\n`);
      try {
        // Remove the partial line that an earlier write to a full disk left behind.
        ftruncateSync(descriptor, size);
        for (let at = 0; at < line.length; ) at += writeSync(descriptor, line, at);
      } catch (error) {
        try {
          ftruncateSync(descriptor, size);
        } catch {
          // The next append will try again to remove the incomplete line.
        }
        const { code } = error as NodeJS.ErrnoException;
        throw internalError(
          `Cannot write ${file}: ${reasonOf(error)} (${code}).`,
          "Free some disk space. The sender got a 507 and should retry the request.",
        );
      }
      size += line.length;
    },
    close: (): void => closeSync(descriptor),
  };
}

/** The position right after the last complete line. */
function endOfLastLine(descriptor: number): number {
  const chunk = Buffer.alloc(STEP);
  for (let end = fstatSync(descriptor).size; end > 0; end -= STEP) {
    const start = Math.max(0, end - STEP);
    const read = readSync(descriptor, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, read).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}
