import { Type } from "typebox";
import type { ListQuery } from "../../http/listing.ts";
import type { Route } from "../../http/route-table.ts";
import { deletedOf } from "../../http/shapes.ts";
import type { Payments } from "../payments.ts";
import type { Resource } from "../records.ts";
import { listOf, type ResourceSchemas } from "../schemas/common.ts";
import { changes, lists, reads } from "./table.ts";

interface ResourceSpec<Schemas extends ResourceSchemas> {
  path: `/${string}`;
  /** The name of the path parameter with the id. */
  id?: string;
  label: string;
  /**
   * The names of the operations are derived from the item's title: `Product` gives listProducts, createProduct,
   * getProduct, …
   */
  schemas: Schemas;
  resource: (payments: Payments) => Resource<Schemas>;
  /** Text to append to an operation's summary in the OpenAPI document. */
  notes?: Partial<Record<"list" | "create" | "delete", string>>;
}

/** The operations that most resources offer: list, create, read, update and delete. */
export function resourceRoutes<Schemas extends ResourceSchemas>({
  path,
  id = "id",
  label,
  schemas,
  resource,
  notes = {},
}: ResourceSpec<Schemas>): Route[] {
  const { item, created = item, query, create, update } = schemas as Required<Schemas>;
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
      run: (request) =>
        resource(request.payments).list(request.caller.org, request.query as ListQuery<Schemas["query"]>),
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
