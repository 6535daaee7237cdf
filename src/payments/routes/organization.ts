import type { App } from "../../http/types.ts";
import { AnalyticsOverview, AnalyticsQuery } from "../schemas/analytics.ts";
import { errorResponses, NoQuery } from "../schemas/common.ts";
import { Organization, OrganizationUpdate } from "../schemas/organizations.ts";
import { change } from "./support.ts";

/** The organization of the key, and what it took in. */
export function organizationRoutes(app: App): void {
  const organization = {
    tags: ["Organization"],
    querystring: NoQuery,
    response: { 200: Organization, ...errorResponses },
  };
  app.get(
    "/organization",
    {
      schema: {
        operationId: "getOrganization",
        summary: "Read the organization of the API key",
        ...organization,
      },
    },
    (request) => request.payments.organizations.resource(request.caller.org),
  );
  app.patch(
    "/organization",
    {
      schema: {
        operationId: "updateOrganization",
        summary: "Update the organization",
        description: "Its defaults apply to payment links and sessions that are made from then on.",
        body: OrganizationUpdate,
        ...organization,
      },
    },
    (request, reply) =>
      change(request, reply, 200, () => request.payments.organizations.update(request.caller, request.body)),
  );

  app.get(
    "/analytics/overview",
    {
      schema: {
        operationId: "getAnalyticsOverview",
        summary: "Revenue, customers, payment links and conversion",
        description:
          "Completed payments, by the day of their completion. Amounts of different tokens are summed apart; their worth in dollars is summed over all, each payment rounded down to cents.",
        tags: ["Analytics"],
        querystring: AnalyticsQuery,
        response: { 200: AnalyticsOverview, ...errorResponses },
      },
    },
    (request) => request.payments.analytics.overview(request.caller.org, request.query.period),
  );
}
