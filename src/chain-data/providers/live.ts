import { Agent, request } from "../../runtime/agent.ts";
import { wallTimer } from "../../world/clock.ts";
import { UpstreamFailure } from "./provider.ts";
import type { ReplayAnswer } from "./replay.ts";

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const CONNECTIONS = 16;

/** Sends real HTTP requests to the configured upstreams, through an agent that user code cannot patch. */
export function createLive() {
  const agent = new Agent({
    connections: CONNECTIONS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 0 },
  });
  return {
    /** @throws UpstreamFailure if no complete response arrives within `timeout` */
    async send(
      url: string,
      headers: Readonly<Record<string, string>>,
      timeout: number,
    ): Promise<ReplayAnswer> {
      const abort = new AbortController();
      const cancel = wallTimer(timeout, () => abort.abort());
      try {
        const response = await request(url, {
          dispatcher: agent,
          signal: abort.signal,
          headers: { accept: "application/json", ...headers },
        });
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of response.body as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > MAX_BODY_BYTES)
            throw new UpstreamFailure(
              "invalid_shape",
              `The response is larger than ${MAX_BODY_BYTES} bytes.`,
            );
          chunks.push(chunk);
        }
        return { status: response.statusCode, body: Buffer.concat(chunks).toString("utf8") };
      } catch (error) {
        if (error instanceof UpstreamFailure) throw error;
        if (abort.signal.aborted) throw new UpstreamFailure("timeout", `No response within ${timeout} ms.`);
        const { code, message } = error as NodeJS.ErrnoException;
        throw new UpstreamFailure(code === "ECONNREFUSED" ? "connection_refused" : "unreachable", message);
      } finally {
        cancel();
      }
    },
    close: () => agent.destroy(),
  };
}
