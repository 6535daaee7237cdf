import { resolveAliases } from "../patch.ts";
import * as shapes from "../schemas/account.ts";
import { AnalyticsOverview, AnalyticsQuery } from "../schemas/analytics.ts";
import { IdParams, listOf } from "../schemas/common.ts";
import { changes, lists, reads, tagged } from "./table.ts";

const eventRoutes = tagged("Events", [
  reads("GET /events", {
    id: "listEvents",
    summary: "List audit events, newest first",
    description:
      "Everything that was created, updated, deleted or revoked in the organization. Events are retained for 90 days.",
    query: shapes.AuditEventQuery,
    answer: shapes.AuditEventList,
    run({ payments, caller, query: sent }) {
      const { page, limit } = sent;
      const query = resolveAliases(sent, { event_type: "type" });
      const { data, total } = payments.audit.list(caller.org, query);
      return {
        success: true,
        data,
        pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
      };
    },
  }),
]);

const apiKeyRoutes = tagged("API keys", [
  lists("GET /api-keys", {
    id: "listApiKeys",
    summary: "List API keys",
    query: shapes.ApiKeyListQuery,
    answer: listOf(shapes.ApiKey),
    run: ({ payments, caller, query }) => payments.apiKeys.list(caller.org, query),
  }),
  changes("POST /api-keys", {
    id: "createApiKey",
    summary: "Create an API key",
    body: shapes.ApiKeyCreate,
    answer: shapes.ApiKeyCreated,
    status: 201,
    run: ({ payments, caller, body }) => payments.apiKeys.create(caller, body),
  }),
  reads("GET /api-keys/:id", {
    id: "getApiKey",
    summary: "Read an API key",
    params: IdParams,
    answer: shapes.ApiKey,
    run: ({ payments, caller, params }) => payments.apiKeys.get(caller.org, params.id),
  }),
  changes("DELETE /api-keys/:id", {
    id: "revokeApiKey",
    summary: "Revoke an API key",
    params: IdParams,
    answer: shapes.ApiKeyRevoked,
    run: ({ payments, caller, params }) => payments.apiKeys.revoke(caller, params.id),
  }),
]);

const organizationRoutes = [
  ...tagged("Organization", [
    reads("GET /organization", {
      id: "getOrganization",
      summary: "Read the organization of the API key",
      answer: shapes.Organization,
      run: ({ payments, caller }) => payments.organizations.resource(caller.org),
    }),
    changes("PATCH /organization", {
      id: "updateOrganization",
      summary: "Update the organization",
      description: "The organization's defaults apply to payment links and sessions created afterwards.",
      body: shapes.OrganizationUpdate,
      answer: shapes.Organization,
      run: ({ payments, caller, body }) => payments.organizations.update(caller, body),
    }),
  ]),
  ...tagged("Analytics", [
    reads("GET /analytics/overview", {
      id: "getAnalyticsOverview",
      summary: "Revenue, customers, payment links and conversion",
      description:
        "Completed payments by day of completion. Amounts are summed per token; dollar values are summed over all tokens, each payment rounded down to cents.",
      query: AnalyticsQuery,
      answer: AnalyticsOverview,
      run: ({ payments, caller, query }) => payments.analytics.overview(caller.org, query.period),
    }),
  ]),
];

export const accountRoutes = [...eventRoutes, ...apiKeyRoutes, ...organizationRoutes];
