import type { Client, WebhookWithSecret } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { fields, paint, print } from "./output.ts";
import type { ServerOptions } from "./server.ts";

export interface WebhooksOptions extends ServerOptions {
  times?: string;
  rate?: string;
  passThrough?: boolean;
  events?: string;
  secret?: string;
  description?: string;
  sender?: string;
  another?: boolean;
  failed?: boolean;
  since?: string;
  limit?: string;
  organization?: string;
}

/** What an action of `sandglass webhooks` needs. It resolves with the exit code; none means 0. */
export interface WebhooksCall {
  sandbox: Client;
  /** What the endpoint, or the delivery, is named by. */
  name: string | undefined;
  answer: string | undefined;
  options: WebhooksOptions;
}

export function showEndpoint({ id, url }: WebhookWithSecret, rows: Parameters<typeof fields>[0]): void {
  for (const line of fields([["endpoint", `${id}, ${url}`], ...rows])) print(line);
}

export const statusCell = ({ status }: { status: string }) => ({
  text: status,
  color: status === "enabled" ? paint.green : paint.red,
});

/** @throws SandboxError `bad_request` where no endpoint is named */
export function requireName(action: string, name: string | undefined): string {
  if (name) return name;
  throw new SandboxError(
    "bad_request",
    `webhooks ${action} needs an endpoint.`,
    `Name it by its id, a part of its URL, or 'last'. For example: npx sandglass webhooks ${action} last`,
  );
}
