import type { Status } from "../api-types.ts";

export interface Step {
  title: string;
  command: string;
}

const JSON_HEADER = '-H "Content-Type: application/json"';

/** Commands to paste into a shell, for this server as it runs. */
export function firstSteps({ url, bases, keys }: Status): Step[] {
  const control = `${url}/_sandbox`;
  const steps: Step[] = [
    {
      title: "Point a webhook at your own server",
      command: `curl -s ${bases.platform}/api/v1/webhooks -H "Authorization: Bearer ${keys.write}" ${JSON_HEADER} -d '{"url": "http://127.0.0.1:3000/webhooks"}'`,
    },
    {
      title: "Trigger a payment",
      command: `curl -s ${control}/payments ${JSON_HEADER} -d '{"payment_link_id": "coffee"}'`,
    },
    {
      title: "Move the clock to the next retry",
      command: `curl -s ${control}/clock/advance ${JSON_HEADER} -d '{"until": "next"}'`,
    },
    { title: "Read what the built-in inboxes got", command: `curl -s ${control}/inbox` },
  ];
  if (bases.data)
    steps.push({
      title: "Look a token up on two chains",
      command: `curl -s "${bases.data}/insights/v1/tokens/lookup?symbol=USDC&chain_id=1&chain_id=8453"`,
    });
  return steps;
}

/** What an area is called, by its name in the status. */
export const AREA_NAMES: Record<string, string> = {
  platform: "Payments platform",
  data: "Chain data",
  game: "Game launcher",
};

export const KEY_NOTES: Record<string, string> = {
  write: "reads and writes",
  read: "reads only",
  expired: "has expired",
  revoked: "was revoked",
  other: "writes for a second organization",
};
