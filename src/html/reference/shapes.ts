import { anchor, type Endpoint, type ReferenceDocument, type Schema } from "./document.ts";

/** An inline object gets a section of its own only if it has at least this many fields. */
const minFields = 4;

/** A schema that is shown once and linked from every other place. */
export interface Shape {
  name: string;
  id: string;
  schema: Schema;
}

/** A document's shapes: its components, and inline objects that occur more than once. */
export interface Shapes {
  all: readonly Shape[];
  /** The shape that a schema refers to by `$ref`, or that it is identical to. */
  of(schema: Schema): Shape | undefined;
}

/** Finds the schemas that need to be shown only once, so a page with many operations stays small. */
export function shapesOf(document: ReferenceDocument, endpoints: readonly Endpoint[]): Shapes {
  const all: Shape[] = [];
  const ids = new Set<string>();
  const byText = new Map<string, Shape>();
  const byRef = new Map<string, Shape>();
  const add = (wanted: string, schema: Schema) => {
    let name = wanted;
    for (let count = 2; ids.has(anchor(name)); count += 1) name = `${wanted} (${count})`;
    ids.add(anchor(name));
    const shape: Shape = { name, id: `schema-${anchor(name)}`, schema };
    all.push(shape);
    byText.set(JSON.stringify(schema), shape);
    return shape;
  };

  for (const [name, schema] of Object.entries(document.components.schemas))
    byRef.set(`#/components/schemas/${name}`, add(name, schema));
  const seen = new Set<string>();
  for (const { schema, source } of answersOf(endpoints)) {
    visit(schema, (part) => {
      if (Object.keys(part.properties ?? {}).length < minFields) return;
      const text = JSON.stringify(part);
      if (seen.has(text) && !byText.has(text)) add(nameOf(part, source), part);
      seen.add(text);
    });
  }
  return {
    all,
    of: (schema) => {
      if (schema.$ref !== undefined) return byRef.get(schema.$ref);
      return schema.properties && byText.get(JSON.stringify(schema));
    },
  };
}

const answersOf = (endpoints: readonly Endpoint[]) =>
  endpoints.flatMap(({ operation, id }) =>
    Object.values(operation.responses).flatMap(({ content = {} }) =>
      Object.values(content).map(({ schema }) => ({ schema, source: id })),
    ),
  );

function visit(schema: Schema, see: (part: Schema) => void): void {
  see(schema);
  const { properties = {}, items, additionalProperties, patternProperties = {}, anyOf = [] } = schema;
  const parts = [...Object.values(properties), ...Object.values(patternProperties), ...anyOf];
  if (items) parts.push(items);
  if (typeof additionalProperties === "object") parts.push(additionalProperties);
  for (const part of parts) visit(part, see);
}

function nameOf(schema: Schema, source: string): string {
  const kind = schema.properties?.object?.const;
  return schema.title ?? (typeof kind === "string" ? kind : `${source} response`);
}
