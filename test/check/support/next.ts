import type { IncomingMessage, RequestListener } from "node:http";

type Handler = (request: Request) => Promise<Response>;

/** Serves a Next.js route file like Next.js itself: one handler for each method, and 405 for all other methods. */
export function serveRoute(route: Record<string, unknown>): RequestListener {
  return async (request, response) => {
    const handler = route[request.method!] as Handler | undefined;
    const answer = handler ? await handler(await toRequest(request)) : new Response(null, { status: 405 });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const body = Buffer.concat(await request.toArray());
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method!,
    headers,
    body: request.method === "GET" ? null : body,
  });
}
