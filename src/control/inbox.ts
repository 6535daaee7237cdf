import { notFound } from "../errors/errors.ts";
import { acceptBodies } from "../http/body.ts";
import { addRoutes } from "../http/route-table.ts";
import type { App } from "../http/types.ts";
import { nameOf } from "../operations/schemas/common.ts";
import { wallSleep } from "../world/clock.ts";
import { call } from "./http.ts";

/** The route to which webhooks are sent. Its scope parses no bodies, so that it accepts any. */
export function inboxDeliveryRoute(scope: App): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, "*", String);
  addRoutes(scope, [
    call("POST /inbox/:name", {
      id: "postToInbox",
      tag: "Inbox",
      summary: "Where a webhook points to",
      params: nameOf("an inbox"),
      async run({ sandbox, params, headers, body }, reply) {
        const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
        const answer = sandbox.payments.inboxes.receive(
          params.name,
          Object.fromEntries(texts),
          (body as string | undefined) ?? "",
        );
        if (answer.delay > 0) await wallSleep(answer.delay);
        return reply.code(answer.status).type("application/json; charset=utf-8").send(answer.body);
      },
    }),
  ]);
}

/** Refuses any other path below an inbox, which a webhook may point to by mistake. */
export async function refuseBelowInbox(): Promise<never> {
  throw notFound(
    "An inbox has only /inbox/{name} and /inbox/{name}/behaviour.",
    "Names have letters, digits, dots, hyphens and underscores.",
  );
}
