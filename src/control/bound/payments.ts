import type { paymentOperations } from "../../operations/payments.ts";
import type { Bound } from "./bound.ts";

export const paymentBound: Bound<(typeof paymentOperations)[number]> = {
  "payments.pay": ({ sandbox, body }) => sandbox.payments.pay(body),
  "payments.follow": ({ sandbox, params }) => sandbox.payments.follow(params.id),
  "payments.links": ({ sandbox, query }) => sandbox.payments.links(query),
  "payments.createLink": ({ sandbox, body, url }) => sandbox.payments.createLink(body, url),
  "payments.link": ({ sandbox, params }) => sandbox.payments.link(params.link),
  "payments.sessions": ({ sandbox, query }) => sandbox.payments.sessions(query),
  "payments.openSession": ({ sandbox, params, body }) =>
    sandbox.payments.openSession({ ...body, link: params.link }),
  "payments.session": ({ sandbox, params }) => sandbox.payments.session(params.id),
  "payments.expire": ({ sandbox, params }) => sandbox.payments.expireSession(params.id),
  "payments.transaction": ({ sandbox, params }) => sandbox.payments.transaction(params.id),
};
