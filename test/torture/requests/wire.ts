import { connect, type Socket } from "node:net";

/** The bytes received on a socket so far. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The outcome of a request: a response, a connection closed without one, or neither in time. */
export type Outcome = Answer | "closed" | "hung";

const HEAD_END = "\r\n\r\n";

/** A connection below the level of HTTP libraries. It sends bytes unchanged and reads one response. */
export class Wire {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * @param options.last whether nothing follows on this connection, so its sending side is closed as well
   * @param options.bodiless whether the response has no body, whatever its headers say
   */
  async exchange(
    bytes: Buffer,
    { last, bodiless, patience }: { last: boolean; bodiless: boolean; patience: number },
  ): Promise<Outcome> {
    const reused = this.#socket !== undefined && !last;
    if (last) this.close();
    const outcome = await this.#once(bytes, last, bodiless, patience);
    // If the server closed an idle connection at that moment, this says nothing about the request.
    return outcome === "closed" && reused ? this.#once(bytes, last, bodiless, patience) : outcome;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #once(bytes: Buffer, last: boolean, bodiless: boolean, patience: number): Promise<Outcome> {
    const socket = this.#open();
    return new Promise((resolve) => {
      let seen: Buffer = Buffer.alloc(0);
      const finish = (outcome: Outcome, keep: boolean) => {
        clearTimeout(timer);
        socket.removeAllListeners("data").removeAllListeners("close");
        if (!keep || last) this.close();
        resolve(outcome);
      };
      const timer = setTimeout(() => finish("hung", false), patience);
      socket.on("data", (chunk: Buffer) => {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
        const read = readAnswer(seen, bodiless, false);
        if (read) finish(read.answer, read.keep);
      });
      socket.on("close", () => finish(readAnswer(seen, bodiless, true)?.answer ?? "closed", false));
      if (last) socket.end(bytes);
      else socket.write(bytes);
    });
  }

  #open(): Socket {
    if (!this.#socket || this.#socket.destroyed || !this.#socket.writable) {
      this.#socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
      this.#socket.on("error", () => undefined);
      const socket = this.#socket;
      socket.on("end", () => socket.destroy());
    }
    return this.#socket;
  }
}

/** Reads a complete response from the start of `bytes`, skipping interim responses. */
function readAnswer(
  bytes: Buffer,
  bodiless: boolean,
  ended: boolean,
): { answer: Answer; keep: boolean } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine, ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine!)?.[1] ?? 0);
  const rest = bytes.subarray(headEnd + HEAD_END.length);
  if (status >= 100 && status < 200) return readAnswer(rest, bodiless, ended);
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const keep = headers.connection !== "close";
  const whole = (text: string, again = keep) => ({ answer: { status, headers, text }, keep: again });
  if (bodiless || status === 204 || status === 304) return whole("");
  if (headers["content-type"]?.startsWith("text/event-stream")) return whole("", false);
  if (headers["transfer-encoding"] === "chunked") {
    const text = readChunks(rest);
    return text === undefined ? undefined : whole(text);
  }
  const length = headers["content-length"];
  if (length === undefined) return ended ? whole(rest.toString(), false) : undefined;
  return rest.length < Number(length) ? undefined : whole(rest.toString("utf8", 0, Number(length)));
}

function readChunks(bytes: Buffer): string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(lineEnd + 2, next - 2));
    at = next;
  }
}
