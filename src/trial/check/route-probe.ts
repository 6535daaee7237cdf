import type { FileSender } from "../../webhooks/described.ts";
import { wallNow } from "../../world/clock.ts";
import type { Answer } from "../hazards/hazard.ts";
import { createSender } from "./send.ts";

/** Sends a sender's events to paths on a server, to find its webhook route. */
export interface RouteProbe {
  /** Sends one event. @param type the event's type; by default, the sender's first */
  send(path: string, secret: string, type?: string): Promise<Answer>;
  /** A secret that no server uses. */
  wrong: string;
}

/** A path that accepts events, with its response to an event signed with a wrong secret. */
export interface TakenRoute {
  path: string;
  answer: Answer;
}

/** Paths that exist on no server. A response that these paths get, too, says nothing about a route. */
const NOWHERE = ["/sandglass/no-such-route", "/sandglass/nor-this"] as const;
const REFUSED = [400, 401, 403, 422];

/** @param origin the server's origin @param timeout the response timeout in real milliseconds */
export function createRouteProbe(sender: FileSender, origin: string, timeout: number): RouteProbe {
  let count = 0;
  return {
    wrong: sender.newSecret(Buffer.alloc(32, 7)),
    async send(path, secret, type = sender.events[0]!) {
      count += 1;
      const eventId = `evt_probe${String(count).padStart(12, "0")}`;
      const [url, at] = [origin + path, wallNow()];
      const body = sender.makeBody(type, undefined, eventId, at);
      const message = { eventId, type, body, url, secret, at, test: false };
      const ids = {
        endpointId: "wh_probe",
        deliveryId: `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`,
      };
      const transport = createSender(timeout);
      try {
        const makeHeaders = () => sender.headers({ ...message, ...ids });
        return await transport.send({
          what: "an event",
          subject: type,
          type,
          method: "POST",
          url,
          makeHeaders,
          body,
        });
      } finally {
        transport.close();
      }
    },
  };
}

/** Whether a response suggests a route: anything except 404, 405, a redirect or no response. */
export const isTaken = ({ status }: Answer): boolean =>
  status !== null && status !== 404 && status !== 405 && !(status >= 300 && status < 400);

/** The content of a response, without the path that was requested. */
const wordsOf = ({ status, body }: Answer, path: string): string =>
  `${status} ${path.length > 1 ? body.replaceAll(path, "").replaceAll(encodeURIComponent(path), "") : body}`;

/**
 * Finds the paths that accept events. Paths that reject a wrong signature come first, and paths that fail come last.
 * @returns an empty list if the server responds the same at any path
 */
export async function findTakenRoutes(probe: RouteProbe, paths: readonly string[]): Promise<TakenRoute[]> {
  const elsewhere = await Promise.all(
    NOWHERE.map(async (path) => ({ path, answer: await probe.send(path, probe.wrong) })),
  );
  const [first, second] = elsewhere.map(({ path, answer }) => wordsOf(answer, path));
  /** If the text differs each time, for example because it contains a request id, only the status is meaningful. */
  const isElsewhere = ({ path, answer }: TakenRoute): boolean =>
    elsewhere.some((one) => one.answer.status === answer.status) &&
    (first !== second || wordsOf(answer, path) === first);
  const taken: TakenRoute[] = [];
  for (const path of paths) {
    const answer = await probe.send(path, probe.wrong);
    if (isTaken(answer) && !isElsewhere({ path, answer })) taken.push({ path, answer });
  }
  const rankOf = ({ answer: { status } }: TakenRoute) =>
    REFUSED.includes(status!) ? 0 : status! < 500 ? 1 : 2;
  return taken.toSorted((a, b) => rankOf(a) - rankOf(b));
}
