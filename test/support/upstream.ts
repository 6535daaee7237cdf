import { createServer, type IncomingMessage } from "node:http";
import { listenForTest } from "./listen.ts";

export interface UpstreamAnswer {
  status?: number;
  /** The body, which is sent as JSON unless it is a string. */
  body: unknown;
  headers?: Record<string, string>;
}

/** A chain-data provider on this machine that responds as the test specifies; undefined stands for a 404. */
export async function startUpstream(
  answer: (url: URL, request: IncomingMessage) => UpstreamAnswer | undefined | Promise<UpstreamAnswer>,
) {
  const asked: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ url: request.url!, headers: request.headers });
    const {
      status = 200,
      body,
      headers = {},
    } = (await answer(new URL(request.url!, "http://127.0.0.1"), request)) ?? {
      status: 404,
      body: { message: "Not found" },
    };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const port = await listenForTest(server);
  return { url: `http://127.0.0.1:${port}`, asked };
}
