import type { Fault, FaultKind, FaultStep } from "../library/index.ts";
import { shellArgument } from "../runtime/shell.ts";
import { readStep } from "../story/fault-steps.ts";
import { findEndpoint } from "./endpoint-name.ts";
import { readLimits } from "./fault-flags.ts";
import { paint, printJson } from "./output.ts";
import { chosenFlags, type ServerOptions } from "./server.ts";
import { requireName, showEndpoint, type WebhooksCall, type WebhooksOptions } from "./webhook-calls.ts";

const DEFAULT_ANSWER = "500";

/** `sandglass webhooks fail`: the subscriber fails until it works again, or as often as is asked. */
export async function fail({ sandbox, name, answer, options }: WebhooksCall): Promise<undefined> {
  const fault = readFault(answer, options);
  const endpoint = await findEndpoint(sandbox, requireName("fail", name));
  const state = await sandbox.run("webhooks.fail", { id: endpoint.id, ...fault });
  if (options.json) printJson(state);
  else
    showEndpoint(endpoint, [
      ["fails", { text: `${answer ?? DEFAULT_ANSWER} ${howLong(fault, name!, options)}`, color: paint.red }],
    ]);
}

function howLong({ times, sequence, rate }: Fault, name: string, options: ServerOptions): string {
  if (sequence) return `in turn, then its own responses count again`;
  if (times !== undefined) return `for ${times === 1 ? "1 attempt" : `${times} attempts`}`;
  const share = rate === undefined ? "" : `in ${rate} of the attempts `;
  return `${share}until: npx sandglass webhooks work ${shellArgument(name)}${chosenFlags(options)}`;
}

/** `sandglass webhooks work`: ends the fault. */
export async function work({ sandbox, name, options: { json } }: WebhooksCall): Promise<undefined> {
  const endpoint = await findEndpoint(sandbox, requireName("work", name));
  const state = await sandbox.run("webhooks.work", { id: endpoint.id });
  if (json) printJson(state);
  else showEndpoint(endpoint, [["works", "its own responses count again"]]);
}

function readFault(answer: string | undefined, { times, rate, passThrough }: WebhooksOptions): Fault {
  return {
    ...readAnswer(answer),
    ...readLimits({ times, rate }),
    ...(passThrough && { passThrough }),
  };
}

/** A status, a kind of failure, or several. The sandbox refuses an unknown kind and lists the known ones. */
function readAnswer(answer = DEFAULT_ANSWER): Fault {
  const steps = answer.split(",").map((step) => readStep(step) as FaultStep);
  if (steps.length > 1) return { sequence: steps };
  const [only] = steps as [FaultStep];
  if (typeof only === "object") return only;
  return typeof only === "number" ? { kind: "status", status: only } : { kind: only as FaultKind };
}
