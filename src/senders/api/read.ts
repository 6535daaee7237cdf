import { resolve } from "node:path";
import { readRegularFile } from "../../runtime/regular-file.ts";
import { check } from "../../schema/check.ts";
import type { Mistakes } from "../../schema/mistakes.ts";
import { parseFile } from "../../schema/parse-file.ts";
import { API_FILE, type ApiObjects, type SenderApi } from "../../webhooks/sender-api.ts";
import { isBeside, MOST_BYTES } from "../bodies.ts";
import type { Fields } from "./fields.ts";
import { readRoute } from "./routes.ts";

interface WrittenApi {
  api?: SenderApi | string | undefined;
  objects?: Record<string, object | string> | undefined;
}

type ApiFile = WrittenApi & { api: SenderApi };

/**
 * Reads the API described in a sender's file, or in another file that it refers to.
 * @param folder the folder of the sender's file
 * @param types the types of the sender's events
 */
export async function readApi(
  { api: written, objects }: WrittenApi,
  folder: string,
  types: readonly string[],
  mistakes: Mistakes,
): Promise<{ api?: SenderApi; objects?: ApiObjects }> {
  const file = typeof written === "string" ? await readApiFile(written, folder, mistakes) : undefined;
  const api = typeof written === "string" ? file?.api : written;
  if (!api) {
    if (objects && written === undefined) mistakes.add("objects", "omitted if there is no api", objects);
    return {};
  }
  const all = { ...file?.objects, ...objects } as Record<string, Fields | string>;
  const { path, fields = {} } = api.graphql ?? {};
  if (path !== undefined && !readRoute(`POST ${path}`))
    mistakes.add("api.graphql.path", "a path, such as /graphql", path);
  for (const [part, rules, does] of [
    ["reads", api.reads, ["one", "list"]],
    ["writes", api.writes, ["change", "make"]],
    ["graphql.fields", fields, ["one", "list", "change", "make"]],
  ] as const)
    for (const [call, rule] of Object.entries(rules)) {
      const field = `api.${part}.${call}`;
      if (part !== "graphql.fields" && !readRoute(call))
        mistakes.add(field, "named by a method and a path, such as GET /v1/orders/{id}", call);
      const written = (typeof rule === "string" ? { one: rule } : rule) as Fields;
      const count = does.filter((name) => written[name] !== undefined).length;
      if (count > 1 || (count === 0 && written.answer === undefined))
        mistakes.add(field, `a rule with one of ${does.join(" and ")}, or an answer`, rule);
    }
  const saysKind = api.object === undefined || typeof api.object === "string";
  for (const [id, object] of Object.entries(all))
    if (typeof object === "string") {
      if (!types.includes(object)) mistakes.add(`objects.${id}`, "an event type, or an object", object);
    } else if (saysKind ? typeof object[api.kind] !== "string" : !/^[^/]+\/./.test(id))
      mistakes.add(
        `objects.${id}`,
        saysKind
          ? `an object with its kind in ${api.kind}`
          : "named by its kind and id, such as repository/1",
        saysKind ? object[api.kind] : id,
      );
  return { api, objects: all };
}

async function readApiFile(file: string, folder: string, mistakes: Mistakes): Promise<ApiFile | undefined> {
  const path = resolve(folder, file);
  if (!isBeside(path, folder)) {
    mistakes.add("api", "a YAML or JSON file next to the sender's file or in a subfolder", file);
    return undefined;
  }
  const bytes = readRegularFile(path, file, MOST_BYTES, "invalid_config");
  const read = check(API_FILE, await parseFile({ name: file, bytes }, "invalid_config"), mistakes);
  return read as ApiFile;
}
