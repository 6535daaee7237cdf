import { type Route, schemaOf } from "../../http/route-table.ts";
import { checkerOf } from "../../http/validation.ts";
import { ActivitiesPage, ActivitiesQuery } from "../schemas/activities.ts";
import { errorResponses } from "../schemas/common.ts";
import { ACTIVITIES_PATH } from "./support.ts";

const check = checkerOf(ActivitiesQuery, "querystring");

/** What players did. It takes no token. */
export const activitiesRoute: Route = {
  name: `GET ${ACTIVITIES_PATH}`,
  schema: schemaOf(
    {
      id: "listActivities",
      tag: "Activities",
      summary: "List what players did, newest first",
      query: ActivitiesQuery,
      answer: ActivitiesPage,
    },
    errorResponses,
  ),
  handle(request, reply) {
    const { value, error } = check(withoutEmpty(request.query as Record<string, unknown>));
    if (error) throw error;
    reply.send({ success: true, result: request.game.activities.list(value) });
  },
};

/** Clients send filters that they do not use as empty ones. */
function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
