import { AnalyticsOverview, AnalyticsQuery } from "../schemas/analytics.ts";
import { Organization, OrganizationUpdate } from "../schemas/organizations.ts";
import { changes, reads } from "./table.ts";

const tag = "Organization";

/** The organization of the key, and what it took in. */
export const organizationRoutes = [
  reads("GET /organization", {
    id: "getOrganization",
    tag,
    summary: "Read the organization of the API key",
    answer: Organization,
    run: ({ payments, caller }) => payments.organizations.resource(caller.org),
  }),
  changes("PATCH /organization", {
    id: "updateOrganization",
    tag,
    summary: "Update the organization",
    description: "Its defaults apply to payment links and sessions made afterwards.",
    body: OrganizationUpdate,
    answer: Organization,
    run: ({ payments, caller, body }) => payments.organizations.update(caller, body),
  }),
  reads("GET /analytics/overview", {
    id: "getAnalyticsOverview",
    tag: "Analytics",
    summary: "Revenue, customers, payment links and conversion",
    description:
      "Completed payments, by the day of their completion. Amounts of different tokens are summed apart; their worth in dollars is summed over all, each payment rounded down to cents.",
    query: AnalyticsQuery,
    answer: AnalyticsOverview,
    run: ({ payments, caller, query }) => payments.analytics.overview(caller.org, query.period),
  }),
];
