import { CONFIG } from "../config/description.ts";
import { defaultOf, literal } from "../schema/explain.ts";
import type { Schema } from "../schema/schema.ts";

/** Fields with values, by their sections. */
interface Values {
  readonly [name: string]: unknown;
}

/** Where the server that `sandglass init` writes takes webhooks, and what it verifies them with. */
export const ownServer = (port: number): Values => ({
  webhooks: { endpoints: [{ url: `http://127.0.0.1:${port}/webhooks` }], secret: "whsec_dev" },
});

/** Every field with its description: set, or commented out with an example if it has one, else with its default. */
function explain({ properties = {} }: Schema, set: Values): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    // One with required fields has an example.
    if (field.properties && !field.examples)
      return `${name}: {\n${indent(explain(field, (set[name] ?? {}) as Values))}},\n`;
    const about = field.examples ? `${field.description} Default: ${defaultOf(field)}.` : field.description!;
    const isSet = Object.hasOwn(set, name);
    const value = `${name}: ${literal(isSet ? set[name] : (field.examples?.[0] ?? field.default))},`;
    const comment = isSet ? wrap(about) : [...wrap(about), ...value.split("\n")];
    return [...comment.map((line) => `// ${line}`), ...(isSet ? [value] : []), ""].join("\n");
  });
  return fields.join("\n");
}

const wrap = (text: string): string[] => text.match(/\S.{0,99}(?= |$)/g)!;
const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");

const { $schema: _, ...properties } = CONFIG.properties;

/**
 * A configuration for `sandglass init`. It imports only types, so that it loads without an installed package.
 * @param set the fields that have values
 */
export const configTemplate = (set: Values): string => `import type { SandglassConfig } from "sandglass";

// Every field is optional. What is commented out is the default, or an example where the comment names the default.
// Durations are written like 500ms, 30s, 10m, 1h30m, 2d, PT1H, or in milliseconds.
export default {
${indent(explain({ properties }, set))}} satisfies SandglassConfig;
`;
