import type { Settings } from "./config.ts";

/**
 * Fields whose change takes effect while a sandbox runs: whatever uses them reads them each time. All others were used
 * up at the start. docs/guide/configuration.md, "While the sandbox runs", lists them.
 */
export const LIVE_FIELDS: ReadonlySet<string> = new Set([
  "payments.rateLimit",
  "payments.confirmationDelay",
  "webhooks.allowHttpHosts",
  "webhooks.allowExternal",
  "webhooks.secret",
  "webhooks.deliveryId",
  "webhooks.retryDelays",
  "webhooks.timeout",
  "webhooks.disableAfter",
  "chainData.cache",
  "game.rules",
]);

/** The names of fields, as the configuration has them. */
export interface ConfigChange {
  /** Those in effect from now on. */
  applied: string[];
  /** Those that a restart would apply. */
  restart: string[];
}

/**
 * Takes over what changed in the configuration of a running sandbox, as far as that is possible.
 * @param settings those that it runs with; changed in place, as all its worlds share them
 */
export function applyLive(settings: Settings, next: Settings): ConfigChange {
  const before = fieldsOf(settings);
  const after = fieldsOf(next);
  const change: ConfigChange = { applied: [], restart: [] };
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const value = after.get(name);
    if (JSON.stringify(before.get(name)) === JSON.stringify(value)) continue;
    if (!LIVE_FIELDS.has(name)) change.restart.push(name);
    else {
      const [section, field] = name.split(".") as [string, string];
      sectionsOf(settings)[section]![field] = value;
      change.applied.push(name);
    }
  }
  return change;
}

/** The sections of the configuration, where the settings have them. */
function sectionsOf(settings: Settings): Record<string, Record<string, unknown>> {
  const { payments, chainData, game } = settings;
  const sections: object = { payments, webhooks: payments.webhooks, chainData, game };
  return sections as Record<string, Record<string, unknown>>;
}

/** Each field by its name in the configuration: `port`, `clock.rate`, `webhooks.secret`. */
function fieldsOf(settings: Settings): Map<string, unknown> {
  const { payments, ...others } = settings;
  const { webhooks, ...rest } = payments;
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries({ ...others, payments: rest, webhooks }))
    if (typeof value !== "object" || value === null || Array.isArray(value)) fields.set(name, value);
    else for (const [field, inner] of Object.entries(value)) fields.set(`${name}.${field}`, inner);
  return fields;
}
