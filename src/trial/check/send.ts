import { OWN_HEADERS } from "../../runtime/own-requests.ts";
import type { DeliveryError } from "../../timeline/shapes.ts";
import { createDispatcher } from "../../webhooks/dispatcher.ts";
import { isSuccess, unanswered } from "../../webhooks/failures.ts";
import type { Answer } from "../hazards/hazard.ts";
import { isEnding, type OwnedServer } from "../subject/instances.ts";
import type { CheckRequest } from "./craft.ts";

/** Sends requests to one subscriber the way deliveries are sent, each over its own connection. */
export interface Sender {
  /** Sends one request. Rejects only if the state cannot be watched. */
  send(request: CheckRequest): Promise<Answer>;
  sentCount(): number;
  /** The number of different events that were accepted. */
  acceptedCount(): number;
  close(): void;
}

/**
 * @param timeout the timeout of one request, in real milliseconds
 * @param succeeds whether the sender counts a response as a success
 * @param around wraps the sending of each request
 * @param server the server, if it was started here: its output, and whether it exited
 */
export function createSender(
  timeout: number,
  succeeds = isSuccess,
  around: <Result>(send: () => Promise<Result>, body: string | null) => Promise<Result> = (send) => send(),
  server?: Pick<OwnedServer, "hasEnded" | "output">,
): Sender {
  const dispatcher = createDispatcher();
  let sentCount = 0;
  const accepted = new Set<string>();
  return {
    async send({ makeHeaders, ...sent }) {
      sentCount += 1;
      const request = { ...sent, headers: { ...makeHeaders(), ...OWN_HEADERS } };
      const { method, headers, body, cutAt } = request;
      const { origin, pathname, search } = new URL(request.url);
      const heard = server?.output.listen();
      const to = { lane: origin, origin, path: pathname + search, ownConnection: true };
      const { error, detail, responseCode, responseBody, durationMs } = await around(
        () =>
          dispatcher.send({ ...to, method, headers, body, cutAt, succeeds, timeout: () => timeout }).result,
        body,
      );
      if (error === null && body) accepted.add(body);
      const hasEnded = error === "connection_reset" && server !== undefined && (await isEnding(server));
      return {
        ...{ hasEnded, request, status: responseCode, error: error as DeliveryError | null, durationMs },
        printed: (await heard?.()) ?? "",
        body: new TextDecoder().decode(responseBody ?? undefined, { stream: true }),
        detail:
          detail ?? (error === "timeout" ? unanswered(responseCode, timeout) : `returned ${responseCode}`),
      };
    },
    sentCount: () => sentCount,
    acceptedCount: () => accepted.size,
    close: dispatcher.close,
  };
}
