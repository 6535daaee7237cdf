import { CONFIG } from "../src/config/description.ts";
import type { Schema } from "../src/schema/schema.ts";
import { SENDER } from "../src/webhooks/sender-file.ts";
import { defaultOf, fieldsOf } from "./field-words.ts";

/** The JSON Schema for `sandbox.config.json`, for use in editors. */
export const configSchema = (): object => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Configuration of Sandglass",
  ...CONFIG,
});

/** The JSON Schema for sender files, for use in editors. */
export const senderSchema = (): object => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "A sender of webhooks",
  ...SENDER,
});

/** Returns docs/guide/configuration.md with an updated table of all fields. @param page the current text */
export const withConfigTable = (page: string): string => withTable(page, CONFIG);

/** Returns docs/sender-fields.md with an updated table of all fields. @param page the current text */
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
