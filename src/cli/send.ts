import { senderOf } from "../client/sender-of.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Invocation } from "./command.ts";
import { columns, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";
import { deliveryCells, exitCode } from "./webhook-deliveries.ts";

/** `sandglass send`: one event, to every endpoint of its sender. */
export async function run({
  args: [type, data],
  options,
}: Invocation<ServerOptions & { sender?: string }>): Promise<number> {
  const sandbox = await chosenSandbox(options);
  const name = options.sender ?? senderOf(type!, (await sandbox.run("senders.list", {})).data);
  const sent = await sandbox.run("senders.send", {
    name,
    type: type!,
    ...(data === undefined ? {} : { data: readData(data) }),
  });
  if (options.json) printJson(sent);
  else if (sent.deliveries.length === 0)
    print(
      `Nothing was sent: no endpoint of ${name} gets ${type}. Register one: npx sandglass webhooks create <url> --sender ${name}`,
    );
  else for (const line of columns(sent.deliveries.map(deliveryCells))) print(line);
  return exitCode(sent.deliveries);
}

/** @throws SandboxError `bad_request` */
function readData(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === "object" && data !== null && !Array.isArray(data))
      return data as Record<string, unknown>;
  } catch {
    // Refused below, as any other value is.
  }
  throw new SandboxError(
    "bad_request",
    `The data must be a JSON object, not ${text.slice(0, 100)}.`,
    `For example: npx sandglass send order.paid '{"data": {"amount": 5}}'`,
  );
}
