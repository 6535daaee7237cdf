import type { SandglassConfig } from "../library/config.ts";
import type { SenderDefinition } from "../library/senders.ts";

/**
 * Gives the editor a configuration's type, and returns the configuration unchanged.
 * @example
 * export default defineConfig({ seed: "checkout", payments: { confirmationDelay: "2m" } });
 */
export function defineConfig(config: SandglassConfig): SandglassConfig {
  return config;
}

/**
 * Gives the editor a sender's type, and returns the sender unchanged.
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
