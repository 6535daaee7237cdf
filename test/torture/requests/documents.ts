import { must } from "../api.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas have many shapes
export type Schema = any;

export type Area = "platform" | "data" | "game" | "control";

const BASES: Record<Area, string> = {
  platform: "/platform",
  data: "/data",
  game: "/game",
  control: "/_sandbox",
};

/** A parameter of an operation. */
export interface Field {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

/** An operation in one of the four documents, with its references resolved. */
export interface Operation {
  id: string;
  area: Area;
  method: string;
  /** The path from the server's root, with `{name}` for each variable segment. */
  path: string;
  fields: Field[];
  body: Schema | undefined;
}

/** Schemas are cut off below this level, because no request needs deeper ones. */
const MOST_LEVELS = 12;

/** All operations that a server's four documents describe. */
export async function readOperations(url: string): Promise<Operation[]> {
  const lists = await Promise.all(
    (Object.keys(BASES) as Area[]).map(async (area) => {
      const document = await must(url, "GET", `${BASES[area]}/openapi.json`);
      const resolve = (schema: Schema) => dereference(schema, document.components?.schemas ?? {}, 0);
      return Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
        Object.entries<Schema>(methods).map(([method, spec]): Operation => {
          const content = spec.requestBody?.content?.["application/json"];
          return {
            id: spec.operationId,
            area,
            method: method.toUpperCase(),
            path: BASES[area] + path,
            fields: resolve(spec.parameters ?? []),
            body: content && resolve(content.schema),
          };
        }),
      );
    }),
  );
  return lists.flat();
}

function dereference(value: Schema, schemas: Record<string, Schema>, level: number): Schema {
  if (value === null || typeof value !== "object") return value;
  if (level > MOST_LEVELS) return {};
  if (Array.isArray(value)) return value.map((item) => dereference(item, schemas, level + 1));
  if (typeof value.$ref === "string")
    return dereference(schemas[value.$ref.split("/").at(-1)!], schemas, level + 1);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, dereference(item, schemas, level + 1)]),
  );
}
