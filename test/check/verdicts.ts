import { verifySignature } from "../../src/index.ts";
import { BUGS, badReceiver } from "./receivers/bad.ts";
import { SECRET, startReceiver } from "./support/start.ts";
export const good = () => startReceiver(badReceiver(BUGS["no bug"]!, SECRET));

interface Event {
  id: string;
  client_reference_id?: string;
  checkoutSession?: { clientReferenceId: string };
}

/**
 * Starts a handler that accepts signed events; `take` returns the status of the response.
 * @param state returns what the state URL responds with
 */
export const startCorrect = (
  take: (event: string, data: Event) => number | Promise<number>,
  state: () => object,
) =>
  startReceiver(async (request, response) => {
    if (request.url === "/state") return response.end(JSON.stringify(state()));
    const body = Buffer.concat(await request.toArray()).toString();
    if (!verifySignature(body, String(request.headers["x-platform-signature"]), SECRET))
      return response.writeHead(401).end();
    const { event, data } = JSON.parse(body);
    const isTest = request.headers["x-platform-test"] !== undefined;
    return response.writeHead(isTest ? 204 : await take(event, data)).end();
  });
