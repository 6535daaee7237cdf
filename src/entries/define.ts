import type { SandglassConfig } from "../library/config.ts";
import type { SenderDefinition } from "../library/senders.ts";

/**
 * Types a configuration for the editor; returns it unchanged.
 * @example
 * export default defineConfig({ seed: "checkout", payments: { confirmationDelay: "2m" } });
 */
export function defineConfig(config: SandglassConfig): SandglassConfig {
  return config;
}

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
