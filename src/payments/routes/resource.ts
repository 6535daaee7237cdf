import { type Static, type TSchema, Type } from "typebox";
import type { Route } from "../../http/route-table.ts";
import type { Payments } from "../payments.ts";
import type { Resource } from "../records.ts";
import { deletedOf, listOf, type ResourceSchema } from "../schemas/common.ts";
import { changes, lists, reads } from "./table.ts";

interface ResourceSpec<Query extends TSchema, Create extends TSchema, Update extends TSchema> {
  path: `/${string}`;
  /** The path's parameter with the id. */
  id?: string;
  /** The resource's name in a sentence. */
  label: string;
  resource: (payments: Payments) => Resource<unknown, Static<Query>, Static<Create>, Static<Update>>;
  /** The schema whose title names the operations: `Product` gives listProducts, createProduct, getProduct, … */
  item: ResourceSchema;
  /** The answer to its creation, if that has more fields. */
  created?: TSchema;
  query: Query;
  create: Create;
  update: Update;
  /** The document's notes about an operation, in addition to its summary. */
  notes?: Partial<Record<"list" | "create" | "delete", string>>;
}

/** The operations of most resources: list, create, read, update, delete. */
export function resourceRoutes<Query extends TSchema, Create extends TSchema, Update extends TSchema>({
  path,
  id = "id",
  label,
  resource,
  item,
  created = item,
  query,
  create,
  update,
  notes = {},
}: ResourceSpec<Query, Create, Update>): Route[] {
  const name = item.title;
  const params = Type.Object({ [id]: Type.String() });
  const note = (of: keyof typeof notes) => (notes[of] === undefined ? {} : { description: notes[of] });
  return [
    lists(`GET ${path}`, {
      id: `list${name}s`,
      summary: `List ${label}s`,
      ...note("list"),
      query,
      answer: listOf(item),
      run: (request) => resource(request.payments).list(request.caller.org, request.query),
    }),
    changes(`POST ${path}`, {
      id: `create${name}`,
      summary: `Create a ${label}`,
      ...note("create"),
      body: create,
      answer: created,
      status: 201,
      run: ({ payments, caller, body }) => resource(payments).create(caller, body),
    }),
    reads(`GET ${path}/:${id}`, {
      id: `get${name}`,
      summary: `Read a ${label}`,
      params,
      answer: item,
      run: (request) => resource(request.payments).get(request.caller.org, request.params[id]!),
    }),
    changes(`PATCH ${path}/:${id}`, {
      id: `update${name}`,
      summary: `Update a ${label}`,
      params,
      body: update,
      answer: item,
      run: (request) => resource(request.payments).update(request.caller, request.params[id]!, request.body),
    }),
    changes(`DELETE ${path}/:${id}`, {
      id: `delete${name}`,
      summary: `Delete a ${label}`,
      ...note("delete"),
      params,
      answer: deletedOf(item),
      run: (request) => resource(request.payments).delete(request.caller, request.params[id]!),
    }),
  ];
}
