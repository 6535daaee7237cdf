import type { App } from "../../http/types.ts";
import { readInstant } from "../../world/duration.ts";
import { listEnvelope } from "../listing.ts";
import { resolveAliases } from "../patch.ts";
import {
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyList,
  ApiKeyListQuery,
  ApiKeyRevoked,
  AuditEventList,
  AuditEventQuery,
} from "../schemas/account.ts";
import { errorResponses, IdParams, NoQuery } from "../schemas/common.ts";
import { apiPath, change } from "./support.ts";

const tags = ["API keys"];

export function accountRoutes(app: App): void {
  app.get(
    "/events",
    {
      schema: {
        operationId: "listEvents",
        summary: "List audit events, newest first",
        description:
          "Every create, update, delete and revoke of the organization. Events are kept for 90 days.",
        tags: ["Events"],
        querystring: AuditEventQuery,
        response: { 200: AuditEventList, ...errorResponses },
      },
    },
    (request) => {
      const { from, to, ...query } = resolveAliases(request.query, { event_type: "type" });
      const { data, total } = request.payments.audit.list(request.caller.org, {
        ...query,
        ...(from === undefined ? {} : { from: readInstant(from)! }),
        ...(to === undefined ? {} : { to: readInstant(to)! }),
      });
      const { page, limit } = query;
      return {
        success: true,
        data,
        pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
      };
    },
  );

  app.get(
    "/api-keys",
    {
      schema: {
        operationId: "listApiKeys",
        summary: "List API keys",
        tags,
        querystring: ApiKeyListQuery,
        response: { 200: ApiKeyList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.apiKeys.list(request.caller.org, request.query);
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.post(
    "/api-keys",
    {
      schema: {
        operationId: "createApiKey",
        summary: "Create an API key",
        tags,
        querystring: NoQuery,
        body: ApiKeyCreate,
        response: { 201: ApiKeyCreated, ...errorResponses },
      },
    },
    (request, reply) => {
      const { expires_at: expiresAt, ...input } = request.body;
      const instant = expiresAt == null ? null : readInstant(expiresAt)!;
      return change(request, reply, 201, () =>
        request.payments.apiKeys.create(request.caller, { ...input, expires_at: instant }),
      );
    },
  );

  app.get(
    "/api-keys/:id",
    {
      schema: {
        operationId: "getApiKey",
        summary: "Read an API key",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: ApiKey, ...errorResponses },
      },
    },
    (request) => request.payments.apiKeys.get(request.caller.org, request.params.id),
  );

  app.delete(
    "/api-keys/:id",
    {
      schema: {
        operationId: "revokeApiKey",
        summary: "Revoke an API key",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: ApiKeyRevoked, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () => request.payments.apiKeys.revoke(request.caller, request.params.id)),
  );
}
