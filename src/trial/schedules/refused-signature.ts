import { OWN_HEADERS } from "../../runtime/own-requests.ts";
import { environmentSecrets } from "../../senders/environment-secrets.ts";
import { readAllShipped } from "../../senders/files.ts";
import { mayBeSignature } from "../../timeline/explain.ts";
import type { Diagnosis, Probe } from "../../webhooks/diagnosis/diagnose.ts";
import { createDispatcher } from "../../webhooks/dispatcher.ts";
import { wallNow } from "../../world/clock.ts";
import { AT_NOW } from "../subject/diagnosis.ts";
import { sendToHandler } from "../subject/subscriber.ts";
import type { SentAttempt } from "./attempt.ts";
import type { ExploreOptions } from "./options.ts";
import type { Stage } from "./run.ts";

/**
 * Finds out by experiment why the server rejects an attempt's signature, and then resets the server, which may have
 * accepted a variant.
 * @returns undefined if the response does not point to the signature
 */
export async function whyRefused(
  { sandbox, subject, story, signal }: Stage,
  { timeout, secretFrom, atNow }: Pick<ExploreOptions, "timeout" | "secretFrom" | "atNow">,
  { id, event, status, detail, answer, printed }: SentAttempt,
): Promise<Diagnosis | undefined> {
  if (signal.aborted || !mayBeSignature(status, `${detail} ${answer}`)) return undefined;
  const words = [detail, answer, printed].join("\n");
  const { deliveries, diagnose } = sandbox.webhooks.engine;
  const { handler } = subject;
  const url = story.by?.sender.addressOf?.(event, subject.url) ?? subject.url;
  const { origin, pathname, search } = new URL(url);
  const dispatcher = createDispatcher();
  const transmit = handler ? sendToHandler.bind(undefined, handler) : dispatcher.send;
  const send = ({ headers, body }: Probe) =>
    transmit({
      ...{ lane: url, origin, path: pathname + search, body, timeout: () => timeout },
      headers: { ...headers, ...OWN_HEADERS },
    }).result;
  const tables = await subject.state.tables?.();
  await tables?.begin();
  try {
    const at = atNow && story.by === undefined ? wallNow() : undefined;
    const others = await readAllShipped();
    const place = {
      send,
      secrets: environmentSecrets("this command"),
      secretFrom,
      at,
      others,
      atNow: AT_NOW,
      words,
    };
    return await diagnose(deliveries.byId(id)!, place);
  } finally {
    await tables?.end();
    dispatcher.close();
    await subject.state.reset();
  }
}
