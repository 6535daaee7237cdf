import { CONFIG } from "../src/config/description.ts";
import type { Schema } from "../src/schema/schema.ts";
import { SENDER } from "../src/webhooks/sender-file.ts";
import { defaultOf, fieldsOf } from "./field-words.ts";

/** The JSON Schema of `sandbox.config.json`, for editors. */
export const configSchema = (): object => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Configuration of Sandglass",
  ...CONFIG,
});

/** The JSON Schema of a sender's file, for editors. */
export const senderSchema = (): object => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "A sender of webhooks",
  ...SENDER,
});

/** docs/guide/configuration.md with the table of all fields made anew. @param page its text */
export const withConfigTable = (page: string): string => withTable(page, CONFIG);

/** docs/sender-fields.md with the table of all fields made anew. @param page its text */
export const withSenderTable = (page: string): string => withTable(page, SENDER);

function withTable(page: string, schema: Schema): string {
  const rows = fieldsOf(schema).map(
    ([path, field]) =>
      `| \`${path}\` | ${isRequired(schema, path) ? "required" : defaultOf(field)} | ${field.description} |\n`,
  );
  return page.replace(
    /^\| Field .*\n(?:\|.*\n)+/m,
    `| Field | Default | What it does |\n|---|---|---|\n${rows.join("")}`,
  );
}

const isRequired = (schema: Schema, path: string): boolean => {
  const [name = "", ...inner] = path.split(".");
  const { [name]: field } = schema.properties ?? {};
  if (!schema.required?.includes(name) || !field) return false;
  return inner.length === 0 || isRequired(field, inner.join("."));
};
