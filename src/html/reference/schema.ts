import { type Html, html } from "../html.ts";
import { type ReferenceDocument, resolve, type Schema } from "./document.ts";
import type { Shapes } from "./shapes.ts";

/** How many levels of inline objects a table expands. Deeper objects show only the names of their fields. */
const maxDepth = 5;

/** Renders schemas: types, constraints and field tables. */
export interface SchemaWriter {
  /** The type in a few words, such as `string or null`, `array of webhook` or `"asc" | "desc"`. */
  type(schema: Schema): Html;
  /** The description, constraints, default and example of a value. */
  notes(schema: Schema, description?: string): Html;
  /**
   * A table of an object's fields, with nested fields given by their path. If the schema already has a section on the
   * page, the result is a link to it.
   */
  table(schema: Schema, label: string, open?: boolean): Html;
}

interface Row {
  path: string;
  schema: Schema;
  required: boolean;
}

/** Creates a writer for one document. Schemas in `shapes` become links. */
export function schemaWriter(document: ReferenceDocument, shapes: Shapes): SchemaWriter {
  const link = (schema: Schema) => {
    const shape = shapes.of(schema);
    return shape && html`<a href="#${shape.id}">${shape.name}</a>`;
  };

  function type(schema: Schema): Html {
    const linked = link(schema);
    if (linked) return linked;
    if (schema.const !== undefined) return code(schema.const);
    if (schema.enum) return joined(schema.enum.map(code), " | ");
    const { anyOf: options } = schema;
    if (options) {
      const literal = options.every((option) => option.const !== undefined);
      return joined(options.map(type), literal ? " | " : " or ");
    }
    const names = [schema.type ?? (schema.properties ? "object" : "any")].flat();
    return joined(
      names.map((name) => named(name, schema)),
      " or ",
    );
  }

  function named(name: string, schema: Schema): Html {
    if (name === "array" && schema.items) return html`array of ${type(schema.items)}`;
    const values = name === "object" ? mapValues(schema) : undefined;
    return values ? html`map of ${type(values)}` : html`${name}`;
  }

  function notes(schema: Schema, description = schema.description): Html {
    const example = schema.examples?.[0];
    return html`${schema.deprecated && html` <em class="old">deprecated</em>`}${limitsOf(schema).map(
      (limit) => html` <span class="limit">${limit}</span>`,
    )}${schema.default !== undefined && html` <span class="limit">default ${code(schema.default)}</span>`}${
      example !== undefined && html` <span class="limit">e.g. ${code(example)}</span>`
    }${description && html`<p>${prose(description)}</p>`}`;
  }

  function rowsOf(schema: Schema, prefix: string, depth: number): Row[] {
    const resolved = resolve(document, schema);
    const rows: Row[] = [];
    for (const [name, property] of Object.entries(resolved.properties ?? {})) {
      const path = prefix + name;
      rows.push({ path, schema: property, required: resolved.required?.includes(name) ?? false });
      const { inner, suffix } = nested(property);
      if (depth < maxDepth && !shapes.of(inner) && inner.$ref === undefined) {
        rows.push(...rowsOf(inner, `${path}${suffix}.`, depth + 1));
      }
    }
    return rows;
  }

  function table(schema: Schema, label: string, open = false): Html {
    const shape = shapes.of(schema);
    const resolved = resolve(document, schema);
    if (shape && !open) {
      const fields = rowsOf(resolved, "", maxDepth).map((row) => row.path);
      return html`<p><a href="#${shape.id}">${shape.name}</a> <span class="soft">${fields.join(", ")}</span></p>`;
    }
    const { anyOf: options } = resolved;
    if (options?.some((option) => resolve(document, option).properties)) {
      return html`${options.map(
        (option, index) =>
          html`<p class="soft">Option ${index + 1} of ${options.length}</p>${table(option, label)}`,
      )}`;
    }
    const { inner, suffix } = nested(resolved);
    const rows = inner === resolved || !shapes.of(inner) ? rowsOf(inner, suffix && `${suffix}.`, 0) : [];
    if (rows.length === 0) return html`<p>${type(resolved)}${notes(resolved)}</p>`;
    return html`<table aria-label="${label}">${rows.map(
      (row) =>
        html`<tr><th scope="row"><code>${row.path}</code>${row.required && html` <b>required</b>`}</th><td>${type(
          row.schema,
        )}${notes(row.schema)}</td></tr>\n`,
    )}</table>`;
  }

  return { type, notes, table };
}

/** Renders plain text in which backticks mark `code`. */
export function prose(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function nested(schema: Schema): { inner: Schema; suffix: string } {
  const values = mapValues(schema);
  if (schema.items) return { inner: schema.items, suffix: "[]" };
  if (values) return { inner: values, suffix: ".*" };
  const option = schema.anyOf?.filter((each) => each.type !== "null");
  return { inner: option?.length === 1 && option[0] ? option[0] : schema, suffix: "" };
}

function mapValues(schema: Schema): Schema | undefined {
  if (schema.properties) return undefined;
  const extra = schema.additionalProperties;
  return typeof extra === "object" ? extra : Object.values(schema.patternProperties ?? {})[0];
}

function limitsOf(schema: Schema): Html[] {
  const limits: Html[] = [];
  const say = (value: unknown, text: (shown: Html) => Html) => {
    if (value !== undefined) limits.push(text(html`${String(value)}`));
  };
  say(schema.format, (shown) => shown);
  say(schema.pattern, (shown) => html`<code>${shown}</code>`);
  say(schema.minimum, (shown) => html`≥ ${shown}`);
  say(schema.exclusiveMinimum, (shown) => html`> ${shown}`);
  say(schema.maximum, (shown) => html`≤ ${shown}`);
  say(schema.minLength, (shown) => html`length ≥ ${shown}`);
  say(schema.maxLength, (shown) => html`length ≤ ${shown}`);
  say(schema.minItems, (shown) => html`items ≥ ${shown}`);
  say(schema.maxItems, (shown) => html`items ≤ ${shown}`);
  say(schema.maxProperties, (shown) => html`keys ≤ ${shown}`);
  if (schema.uniqueItems) limits.push(html`no duplicates`);
  return limits;
}

function code(value: unknown): Html {
  return html`<code>${JSON.stringify(value) ?? String(value)}</code>`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}
