import type { senderOperations } from "../../operations/senders.ts";
import type { Bound } from "./bound.ts";

export const senderBound: Bound<(typeof senderOperations)[number]> = {
  "senders.list": async ({ sandbox }) => ({ data: await sandbox.senders.list() }),
  "senders.send": ({ sandbox, params, body }) => sandbox.senders.send(params.name, body),
  "senders.play": ({ sandbox, params }) => sandbox.senders.play(params.name, params.story),
};
