import type { Client, ResultOf } from "../../client/http.ts";
import { SandboxError } from "../../errors/errors.ts";
import type { Delivery } from "../../library/index.ts";
import { count } from "../../timeline/text.ts";

export const diagnosisLines = ({ cause, fix, tried }: ResultOf<"webhooks.diagnose">): string[] => [
  cause,
  fix,
  `To find this out, your server was sent the event ${count(tried.length, "more time", "more times")}${acceptedText(tried)}.`,
];

function acceptedText(tried: ResultOf<"webhooks.diagnose">["tried"]): string {
  const accepted = tried.filter(({ status }) => status !== null && status >= 200 && status <= 299).length;
  return accepted === 0 ? "" : `, and accepted it ${accepted === 1 ? "once" : count(accepted, "time")}`;
}

/** Statuses that servers use to reject a signature. */
const REFUSALS: readonly unknown[] = [400, 401, 403];

/** Finds out why the user's server rejected the first of these deliveries. Returns no lines if it rejected none. */
export async function refusalLines(
  sandbox: Client,
  deliveries: readonly Pick<Delivery, "id" | "status" | "response_code">[],
): Promise<string[]> {
  const refused = deliveries.find((one) => one.status === "failed" && REFUSALS.includes(one.response_code));
  if (!refused) return [];
  try {
    return ["", ...diagnosisLines(await sandbox.run("webhooks.diagnose", { id: refused.id }))];
  } catch (error) {
    // The sandbox responded instead of the server, or the endpoint was deleted in the meantime.
    if (error instanceof SandboxError) return [];
    throw error;
  }
}
