import type { App } from "../../http/types.ts";
import { type ValidationError, validatorCompiler } from "../../http/validation.ts";
import type { ActivityQuery } from "../activities.ts";
import { ActivitiesPage, ActivitiesQuery } from "../schemas/activities.ts";
import { errorResponses } from "../schemas/common.ts";
import { ACTIVITIES_PATH } from "./support.ts";

const check = validatorCompiler({
  schema: ActivitiesQuery,
  method: "GET",
  url: "",
  httpPart: "querystring",
}) as (query: unknown) => { value?: ActivityQuery; error?: ValidationError };

/** What players did. It takes no token. */
export function activityRoutes(app: App): void {
  app.get(
    ACTIVITIES_PATH,
    {
      schema: {
        operationId: "listActivities",
        summary: "List what players did, newest first",
        tags: ["Activities"],
        querystring: ActivitiesQuery,
        response: { 200: ActivitiesPage, ...errorResponses },
      },
    },
    (request, reply) => {
      const { value, error } = check(withoutEmpty(request.query as Record<string, unknown>));
      if (error) throw error;
      reply.send({ success: true, result: request.game.activities.list(value!) });
    },
  );
}

/** Clients send filters that they do not use as empty ones. */
function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
