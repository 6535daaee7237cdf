import type { inboxOperations } from "../../operations/inboxes.ts";
import { readDelay } from "../../operations/schemas/common.ts";
import type { Bound } from "./bound.ts";

export const inboxBound: Bound<(typeof inboxOperations)[number]> = {
  "inboxes.list": ({ sandbox }) => ({ data: sandbox.payments.inboxes.list() }),
  "inboxes.messages": ({ sandbox, params, query }) => ({
    data: sandbox.payments.inboxes.messages(params.name, query.after, query.limit),
  }),
  "inboxes.behaviour": ({ sandbox, params }) => sandbox.payments.inboxes.behaviour(params.name),
  "inboxes.behave"({ sandbox, params, body: { delay, ...change } }) {
    sandbox.payments.inboxes.setBehaviour(params.name, {
      ...change,
      ...(delay !== undefined && { delay: readDelay(delay, "delay") }),
    });
    return sandbox.payments.inboxes.behaviour(params.name);
  },
};
