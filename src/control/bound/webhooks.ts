import type { webhookOperations } from "../../operations/webhooks.ts";
import type { Bound } from "./bound.ts";

export const webhookBound: Bound<(typeof webhookOperations)[number]> = {
  "webhooks.list": ({ sandbox, query }) => ({ data: sandbox.payments.webhooks(query.organization) }),
  async "webhooks.create"({ sandbox, body, headers, url }) {
    await sandbox.senders.use(body.sender);
    return sandbox.payments.registerWebhook(body, headers, url);
  },
  "webhooks.enable": ({ sandbox, params, url }) => sandbox.payments.turnWebhook(params.id, "enabled", url),
  "webhooks.disable": ({ sandbox, params, url }) => sandbox.payments.turnWebhook(params.id, "disabled", url),
  "webhooks.test": ({ sandbox, params }) => sandbox.payments.testWebhook(params.id),
  "webhooks.delete": ({ sandbox, params, url }) => sandbox.payments.deleteWebhook(params.id, url),
  "webhooks.deliveries": ({ sandbox, params, query }) => sandbox.payments.webhookDeliveries(params.id, query),
  "deliveries.get": ({ sandbox, params }) => sandbox.payments.delivery(params.id),
  "webhooks.resend": ({ sandbox, params, body }) => sandbox.payments.resend(params.id, body ?? {}),
  "webhooks.retry": ({ sandbox, params, body }) => sandbox.payments.retry(params.id, body ?? {}),
  "webhooks.retryFailed": ({ sandbox, body }) => sandbox.payments.retryFailed(body ?? {}),
  "webhooks.timeline": ({ sandbox, params, query }) =>
    sandbox.payments.timeline(params.id, query.limit, query),
};
