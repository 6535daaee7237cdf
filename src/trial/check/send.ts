import { connect } from "node:net";
import { OWN_HEADERS } from "../../runtime/own-requests.ts";
import type { DeliveryError } from "../../timeline/shapes.ts";
import { createDispatcher, lookup } from "../../webhooks/dispatcher.ts";
import { explain, isSuccess, unanswered } from "../../webhooks/failures.ts";
import { SECOND } from "../../world/duration.ts";
import type { Answer } from "../hazards/hazard.ts";
import type { CheckRequest } from "./craft.ts";

const CONNECT_TIMEOUT_MS = 10 * SECOND;

/** Why there is no connection, in the words of an answer. */
export type Missing = Pick<Answer, "error" | "detail">;

export type Sender = ReturnType<typeof createSender>;

/**
 * Sends requests to one receiver with what deliveries are sent with, each over a connection of its own.
 * @param timeout real milliseconds that one request may take
 * @param succeeds which answers the sender takes for a success
 * @param around what sends each request
 */
export function createSender(
  url: string,
  timeout: number,
  succeeds = isSuccess,
  around: <Result>(send: () => Promise<Result>, body: string | null) => Promise<Result> = (send) => send(),
) {
  const dispatcher = createDispatcher();
  let sentCount = 0;

  async function exchange({
    method,
    headers,
    body,
    cutAt,
  }: Omit<Answer["request"], "what" | "subject" | "type">) {
    const { origin, pathname, search } = new URL(url);
    const sending = dispatcher.send({
      lane: origin,
      origin,
      path: pathname + search,
      method,
      headers,
      body,
      cutAt,
      timeout: () => timeout,
      succeeds,
      ownConnection: true,
    });
    const { error, detail, responseCode: status, responseBody, durationMs } = await sending.result;
    return {
      status,
      text: new TextDecoder().decode(responseBody ?? undefined, { stream: true }),
      error: error as DeliveryError | null,
      detail: detail ?? (error === "timeout" ? unanswered(status, timeout) : `answered ${status}`),
      durationMs,
    };
  }

  return {
    /** One request and its answer. Rejects only if the state cannot be watched. */
    async send({ makeHeaders, ...sent }: CheckRequest): Promise<Answer> {
      sentCount += 1;
      const request = { ...sent, headers: { ...makeHeaders(), ...OWN_HEADERS } };
      const { text, ...rest } = await around(() => exchange(request), request.body);
      return { request, body: text, ...rest };
    },

    /** How many requests were sent to the receiver. */
    sentCount: () => sentCount,

    /** Opens a connection and sends nothing. @returns why it cannot; undefined if it could */
    missing: (): Promise<Missing | undefined> => tryConnection(new URL(url)),

    close: dispatcher.close,
  };
}

function tryConnection({ hostname, port, protocol }: URL): Promise<Missing | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (protocol === "https:" ? 443 : 80)),
      lookup,
      timeout: CONNECT_TIMEOUT_MS,
    });
    const end = (missing?: Missing) => {
      socket.destroy();
      resolve(missing);
    };
    const noConnection = { error: "connection_refused", detail: "took no connection" } as const;
    socket.once("connect", () => end());
    socket.once("error", (failure) => {
      const { error, detail } = explain(failure);
      end(detail === null ? noConnection : { error: error as DeliveryError, detail });
    });
    socket.once("timeout", () => end(noConnection));
  });
}
