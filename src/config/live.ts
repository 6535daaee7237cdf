import type { SandglassConfig } from "../library/config.ts";
import { check } from "../schema/check.ts";
import { createMistakes } from "../schema/mistakes.ts";
import type { Settings } from "./config.ts";
import { CONFIG } from "./description.ts";

/**
 * Fields whose change takes effect while a sandbox runs: whatever uses them reads them each time. All others were used
 * up at the start. docs/guide/configuration.md, "While the sandbox runs", lists them.
 */
export const LIVE_FIELDS: ReadonlySet<string> = new Set([
  "worlds.journalEntries",
  "worlds.snapshotMemory",
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

/** A configuration, and what was made from it. */
export interface Configured {
  /** Each field by its name, with its default: `port`, `clock.rate`, `webhooks.secret`. */
  fields: Map<string, unknown>;
  /** A setting may come from several fields, or from a flag. */
  settings: Settings;
}

/**
 * Takes over what changed in the configuration of a running sandbox, as far as that is possible.
 * @param running what it runs with; its settings are changed in place, as all its worlds share them
 */
export function applyLive(running: Configured, next: Configured): ConfigChange {
  const change: ConfigChange = { applied: [], restart: [] };
  for (const name of new Set([...running.fields.keys(), ...next.fields.keys()])) {
    const value = next.fields.get(name);
    if (isEqual(running.fields.get(name), value)) continue;
    const before = placeOf(running.settings, name);
    const after = placeOf(next.settings, name);
    const setting = after.holder[after.key];
    // A flag wins over the field.
    if (setting !== undefined && isEqual(before.holder[before.key], setting)) continue;
    if (!LIVE_FIELDS.has(name)) change.restart.push(name);
    else {
      before.holder[before.key] = setting;
      running.fields.set(name, value);
      change.applied.push(name);
    }
  }
  return change;
}

/** Reads a configuration without mistakes. */
export function fieldsOf(config: SandglassConfig): Map<string, unknown> {
  const { $schema: _, ...filled } = check(CONFIG, config, createMistakes("the configuration"));
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(filled))
    if (typeof value !== "object" || Array.isArray(value)) fields.set(name, value);
    else for (const [field, inner] of Object.entries(value)) fields.set(`${name}.${field}`, inner);
  return fields;
}

/** Where the settings have a field. */
function placeOf(settings: Settings, name: string): { holder: Record<string, unknown>; key: string } {
  const sections: object = { ...settings, webhooks: settings.payments.webhooks };
  const [section, field] = name.split(".") as [string, string | undefined];
  const holder: object = field === undefined ? settings : (sections as Record<string, object>)[section]!;
  return { holder: holder as Record<string, unknown>, key: field ?? section };
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
