import type { SenderDefinition } from "../library/senders.ts";

/**
 * Types a sender for the editor; returns it unchanged.
 * @example
 * export default defineSender({
 *   name: "acme",
 *   events: { "order.paid": { body: { id: "evt_1", type: "order.paid" } } },
 *   signature: { header: "Acme-Signature: {signature}" },
 * });
 */
export function defineSender(sender: SenderDefinition): SenderDefinition {
  return sender;
}
