import type { Status } from "../api-types.ts";

export interface FirstStep {
  title: string;
  command: string;
}

const JSON_HEADER = '-H "Content-Type: application/json"';

/** A shared sandbox lets other machines in that send its token; this machine needs none, and may send none. */
const TOKEN_HEADER = ' -H "X-Sandbox-Token: $SANDGLASS_TOKEN"';

/**
 * Commands to paste into a shell, for this server as it runs.
 * @param base where this page is served, which may not be the address for others
 */
export function firstSteps({ share, keys }: Status, base: string): FirstStep[] {
  const control = `${base}_sandbox`;
  const token = share === null ? "" : TOKEN_HEADER;
  return [
    {
      title: "Point a webhook at your own server",
      command: `curl -s ${base}platform/api/v1/webhooks -H "Authorization: Bearer ${keys.write}" ${JSON_HEADER} -d '{"url": "http://127.0.0.1:3000/webhooks"}'`,
    },
    {
      title: "Trigger a payment",
      command: `curl -s ${control}/payments${token} ${JSON_HEADER} -d '{"payment_link_id": "coffee"}'`,
    },
    {
      title: "Move the clock to the next retry",
      command: `curl -s ${control}/clock/advance${token} ${JSON_HEADER} -d '{"until": "next"}'`,
    },
    { title: "Read what the built-in inboxes got", command: `curl -s ${control}/inbox${token}` },
    {
      title: "Look a token up on two chains",
      command: `curl -s "${base}data/insights/v1/tokens/lookup?symbol=USDC&chain_id=1&chain_id=8453"`,
    },
  ];
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
