// Receives webhooks with Next.js: app/webhooks/route.ts. Set SANDGLASS_WEBHOOK_SECRET in its environment.
import { createHmac, timingSafeEqual } from "node:crypto";

interface Event {
  event: string;
  data: { id: string };
}

// In your application: a table with a unique index, written in the transaction that handles the event.
const handled = new Set<string>();
const paid = new Set<string>();

/** The body must be the raw bytes. */
function isSigned(body: Buffer, signature: string | null): boolean {
  const secret = process.env.SANDGLASS_WEBHOOK_SECRET;
  if (!secret) throw new Error("Set SANDGLASS_WEBHOOK_SECRET.");
  if (!/^[0-9a-f]{64}$/.test(signature ?? "")) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(Buffer.from(signature!, "hex"), expected);
}

function readEvent(body: Buffer): Event | undefined {
  try {
    const event = JSON.parse(body.toString()) as Event | null;
    return typeof event?.data?.id === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

/** A retry has a new delivery id, but the same type and data.id. */
function handleOnce({ event, data }: Event): void {
  const key = `${event} ${data.id}`;
  if (handled.has(key)) return;
  handled.add(key);
  if (event === "payment.completed") paid.add(data.id);
}

export async function POST(request: Request): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer());
  if (!isSigned(body, request.headers.get("x-platform-signature")))
    return new Response(null, { status: 401 });
  const event = readEvent(body);
  if (!event) return new Response(null, { status: 400 });
  if (request.headers.get("x-platform-test") !== "true") handleOnce(event);
  return new Response(null, { status: 204 });
}
