import type { Invocation } from "./command.ts";
import { findEndpoint } from "./endpoint-name.ts";
import { columns, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";
import { deliveryCells, exitCode, findDelivery } from "./webhook-deliveries.ts";

/** `sandglass resend`: sends a delivered event once more. */
export async function run({
  args: [name],
  options,
}: Invocation<ServerOptions & { endpoint?: string }>): Promise<number> {
  const sandbox = await chosenSandbox(options);
  const endpoint = options.endpoint === undefined ? undefined : await findEndpoint(sandbox, options.endpoint);
  const id = await findDelivery(sandbox, name!, "delivery.succeeded");
  const sent = await sandbox.run("webhooks.resend", { id, webhook_id: endpoint?.id });
  if (options.json) printJson(sent);
  else for (const line of columns(sent.data.map(deliveryCells))) print(line);
  return exitCode(sent.data);
}
