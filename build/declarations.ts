import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Schema as ConfigSchema, TYPE } from "../src/schema/schema.ts";
import { defaultOf } from "./field-words.ts";

/** The part of JSON Schema that the operations' schemas use. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: readonly string[];
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  required?: readonly string[];
  items?: Schema;
  format?: string;
  description?: string;
  [TYPE]?: string;
}

/** A type that is derived from a schema or from a list of strings. */
interface Derived {
  name: string;
  /** The type's declaration as written in the source. */
  text: string;
  /** The helper that derives the type; undefined for a list of strings. */
  kind: string | undefined;
  value: Schema | readonly string[];
}

const DERIVED =
  /^export type (\w+) = (?:(Static|Input|Configured)<typeof ([\w.]+)>|\(typeof (\w+)\)\[number\]);$/gm;
const DECLARED = /^export (?:type|interface) (\w+)|(?<=^export type \{.*)\b(\w+)(?=.*\} from )/gm;
const IMPORT = /^import type (?:\* as (\w+)|\{([^}]*)\}) from "([^"]+)";$/gm;
const LINE_WIDTH = 116;

/**
 * Writes out the types that the library's declarations derive from schemas (`Static<typeof Schema>`) as interfaces,
 * with the descriptions of fields as comments. If the library also declares a type for a part, its name is used there.
 * @param emitted the folder with the declarations of src
 * @param sources the folder src itself
 */
export async function declareFromSchemas(emitted: string, sources: string): Promise<void> {
  const folder = join(emitted, "library");
  const texts = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  const derived = new Map<string, Derived[]>();
  const fileOf = new Map<string, string>();
  for (const [file, text] of texts) {
    for (const [, own, passed] of text.matchAll(DECLARED)) fileOf.set((own ?? passed)!, file);
    derived.set(
      file,
      await Promise.all([...text.matchAll(DERIVED)].map((found) => read(found, text, sources))),
    );
  }
  const declare = createPrinter([...derived.values()].flat());
  for (const [file, text] of texts) {
    const types = derived.get(file)!;
    if (types.length === 0) continue;
    const code = types.reduce((all, type) => all.replace(type.text, () => declare(type)), text);
    if (/= (?:Static|Input|Configured)</.test(code))
      throw new Error(`library/${file} derives a type in a way that cannot be read.`);
    writeFileSync(join(folder, file), importsFor(file, code, fileOf) + code);
  }
}

/** Loads the value from which a type is derived. */
async function read(
  [text, name, kind, schema, words]: RegExpMatchArray,
  file: string,
  sources: string,
): Promise<Derived> {
  const [local, ...path] = (schema ?? words)!.split(".");
  const [from, exported] = importsOf(file).get(local!)!;
  const module = await import(pathToFileURL(join(sources, "library", from)).href);
  const value = (exported === undefined ? path : [exported, ...path]).reduce((at, key) => at[key], module);
  return { text, name: name!, kind, value };
}

/** A file's imports by local name: the module and the original name, or no original name for a whole module. */
function importsOf(code: string): Map<string, [from: string, exported?: string]> {
  const found = new Map<string, [from: string, exported?: string]>();
  for (const [, whole, names, from] of code.matchAll(IMPORT)) {
    if (whole) found.set(whole, [from!]);
    for (const item of names?.split(",") ?? []) {
      const [exported, name = exported] = item.trim().split(" as ");
      found.set(name!, [from!, exported!]);
    }
  }
  return found;
}

/**
 * Import statements for types from other files that a file needs only because its own types are now written out.
 */
function importsFor(file: string, code: string, fileOf: ReadonlyMap<string, string>): string {
  const imported = importsOf(code);
  const types = code.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...fileOf]
    .filter(([name, from]) => from !== file && !imported.has(name) && new RegExp(`\\b${name}\\b`).test(types))
    .map(([name, from]) => `import type { ${name} } from "./${from.replace(".d.ts", ".ts")}";\n`)
    .join("");
}

const isWords = (value: Derived["value"]): value is readonly string[] => Array.isArray(value);

/** @param types all derived types; if one is part of another, its name is used there */
function createPrinter(types: readonly Derived[]): (type: Derived) => string {
  /** Lists of strings are compared by their contents, object schemas by identity. */
  const keyOf = (value: Derived["value"]) => {
    const words = isWords(value) ? value : value.enum;
    return words ? words.join() : value;
  };
  const names = new Map(types.map(({ name, value }) => [keyOf(value), name]));
  const typeOf = (schema: Schema) => schema[TYPE] ?? names.get(keyOf(schema)) ?? textOf(schema);

  function textOf(schema: Schema): string {
    const { type, const: only, enum: words, anyOf, items, properties, additionalProperties: others } = schema;
    if (only !== undefined) return JSON.stringify(only);
    if (words) return unionOf(words);
    if (anyOf) return anyOf.map(typeOf).join(" | ");
    if (schema.format === "duration") return "Duration";
    if (type === "array") return items ? `(${typeOf(items)})[]` : "unknown[]";
    if (properties && others !== true) return `{\n${fieldsOf(schema)}}`;
    if (type === "object") {
      const [value = others] = Object.values(schema.patternProperties ?? {});
      if (value === undefined) return "object";
      return `Record<string, ${typeof value === "object" ? typeOf(value) : "unknown"}>`;
    }
    return type === "integer" ? "number" : (type ?? "unknown");
  }

  const fieldsOf = ({ properties = {}, required = [] }: Schema, kind?: string, inherited: object = {}) =>
    Object.entries(properties)
      .filter(([name]) => !Object.hasOwn(inherited, name))
      .map(([name, field]) => {
        const optional = required.includes(name) ? "" : "?";
        const comment = commentOf(field, optional !== "" && kind === "Configured");
        // Properties that a caller may omit may also be undefined.
        const type = typeOf(field) + (optional && kind === "Input" ? " | undefined" : "");
        return `${comment}${/^[\w$]+$/.test(name) ? name : JSON.stringify(name)}${optional}: ${type};\n`;
      })
      .join("");

  /** The largest type whose fields are all contained in another type. */
  function baseOf({ name, value }: Derived) {
    const { properties = {} } = value as Schema;
    return types
      .map((type) => ({ name: type.name, fields: (type.value as Schema).properties ?? {} }))
      .filter((type) => type.name !== name && Object.keys(type.fields).length > 0)
      .filter(({ fields }) => Object.entries(fields).every(([field, schema]) => properties[field] === schema))
      .sort((one, other) => Object.keys(other.fields).length - Object.keys(one.fields).length)[0];
  }

  return (type) => {
    const { name, value, kind } = type;
    if (isWords(value)) return `export type ${name} = ${unionOf(value)};`;
    if (!value.properties) return `export type ${name} = ${textOf(value)};`;
    const base = baseOf(type);
    const heading = `export interface ${name}${base ? ` extends ${base.name}` : ""}`;
    return `${heading} {\n${fieldsOf(value, kind, base?.fields)}}`;
  };
}

const unionOf = (words: readonly string[]) => words.map((word) => JSON.stringify(word)).join(" | ");

/**
 * The description of a field or, for a nullable field, of its non-null value.
 * @param withDefault whether to add the default, as for the configuration
 */
function commentOf(schema: Schema, withDefault: boolean): string {
  const options = [schema, ...(schema.anyOf ?? [])];
  const description = options.find((option) => option.description !== undefined)?.description;
  if (description === undefined) return "";
  const text = withDefault ? `${description} Default: ${defaultOf(schema as ConfigSchema)}.` : description;
  if (text.length <= LINE_WIDTH - "/** */".length) return `/** ${text} */\n`;
  const lines = text.match(new RegExp(`.{1,${LINE_WIDTH - " * ".length}}(?: |$)`, "g"))!;
  return `/**\n${lines.map((line) => ` * ${line.trimEnd()}\n`).join("")} */\n`;
}
