import { environmentSecrets } from "../../senders/environment-secrets.ts";
import { readAllShipped } from "../../senders/files.ts";
import { mayBeSignature } from "../../timeline/explain.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { diagnose } from "../../webhooks/diagnosis/diagnose.ts";
import type { Answer } from "../hazards/hazard.ts";
import { AT_NOW, diagnosisWords } from "../subject/diagnosis.ts";
import type { Sender } from "./send.ts";
import type { Supply } from "./supply.ts";

/** The URL and the secrets of the signed events. */
interface Signed {
  url: string;
  secret: string;
  oldSecret?: string | undefined;
  secretFrom?: string | undefined;
}

/** Finds out why the first event was rejected; undefined if the response does not point to the signature. */
export type WhyRefused = (answer: Answer) => Promise<string | undefined>;

/** Finds the cause by experiment, with variants of the valid event. @param sender builds the requests for `transport` */
export const createWhyRefused =
  (
    sender: FileSender,
    transport: Sender,
    { kit }: Supply,
    { url, secret, oldSecret, secretFrom }: Signed,
  ): WhyRefused =>
  async ({ status, detail, body }) => {
    const words = `${detail} ${body}`;
    if (!mayBeSignature(status, words)) return undefined;
    const delivery = kit.fresh("valid-event");
    const { subject, type } = delivery;
    const to = sender.addressOf?.(type, url) ?? url;
    const old = oldSecret === undefined ? [] : [{ secret: oldSecret, from: "the old secret" }];
    const diagnosis = await diagnose(
      {
        ...{
          sender,
          message: { ...delivery, url: to, secret },
          others: await readAllShipped(),
          atNow: AT_NOW,
        },
        secrets: [...old, ...environmentSecrets("this command")],
        words,
      },
      async ({ headers, body: sent }) => {
        const request = { what: "a variant", subject, type, method: "POST" as const, url: to, body: sent };
        return { responseCode: (await transport.send({ ...request, makeHeaders: () => headers })).status };
      },
      secretFrom,
    );
    return diagnosisWords(diagnosis);
  };
