import { CONFIG } from "../src/config/description.ts";
import { defaultOf, fieldsOf } from "../src/schema/explain.ts";

/** The JSON Schema of `sandbox.config.json`, for editors. */
export const configSchema = (): object => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Configuration of Sandglass",
  ...CONFIG,
});

/**
 * docs/guide/configuration.md with the table of all fields made anew.
 * @param page its text
 */
export function withConfigTable(page: string): string {
  const rows = fieldsOf(CONFIG).map(
    ([path, field]) => `| \`${path}\` | ${defaultOf(field)} | ${field.description} |\n`,
  );
  return page.replace(
    /^\| Field .*\n(?:\|.*\n)+/m,
    `| Field | Default | What it does |\n|---|---|---|\n${rows.join("")}`,
  );
}
