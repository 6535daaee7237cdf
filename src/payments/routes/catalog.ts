import type { Static, TSchema } from "typebox";
import type { Route } from "../../http/route-table.ts";
import type { Caller } from "../context.ts";
import type { Payments } from "../payments.ts";
import * as catalog from "../schemas/catalog.ts";
import { IdParams } from "../schemas/common.ts";
import { PaymentLink, ProductLinkCreate } from "../schemas/payment-links.ts";
import { changes, lists, reads } from "./table.ts";

export const catalogRoutes = [
  ...resourceRoutes({
    path: "/products",
    name: "Product",
    label: "a product",
    tag: "Products",
    resource: (payments) => payments.products,
    item: catalog.Product,
    list: catalog.ProductList,
    query: catalog.ProductListQuery,
    create: catalog.ProductCreate,
    update: catalog.ProductUpdate,
    deleted: catalog.ProductDeleted,
  }),
  ...resourceRoutes({
    path: "/discount-codes",
    name: "DiscountCode",
    label: "a discount code",
    tag: "Discount codes",
    resource: (payments) => payments.discounts,
    item: catalog.DiscountCode,
    list: catalog.DiscountCodeList,
    query: catalog.DiscountCodeListQuery,
    create: catalog.DiscountCodeCreate,
    update: catalog.DiscountCodeUpdate,
    deleted: catalog.DiscountCodeDeleted,
  }),
  ...resourceRoutes({
    path: "/widgets",
    name: "Widget",
    label: "a widget",
    tag: "Widgets",
    resource: (payments) => payments.widgets,
    item: catalog.Widget,
    list: catalog.WidgetList,
    query: catalog.WidgetListQuery,
    create: catalog.WidgetCreate,
    update: catalog.WidgetUpdate,
    deleted: catalog.WidgetDeleted,
  }),
  changes("POST /discount-codes/validate", {
    id: "validateDiscountCode",
    tag: "Discount codes",
    summary: "See what a discount code does to an amount",
    body: catalog.DiscountValidate,
    answer: catalog.DiscountValidation,
    run({ payments, caller, body }) {
      payments.links.checkReference(caller.org, body.payment_link_id);
      return payments.discounts.validate(caller.org, body);
    },
  }),
  changes("POST /discount-codes/batch", {
    id: "createDiscountCodes",
    tag: "Discount codes",
    summary: "Create discount codes with the same terms",
    description: "Codes that cannot be made are listed with the reason; the others are made all the same.",
    body: catalog.DiscountCodeBatch,
    answer: catalog.DiscountCodeBatchResult,
    status: 201,
    run: ({ payments, caller, body }) => payments.discounts.createBatch(caller, body),
  }),
  changes("POST /products/:id/generate-link", {
    id: "createProductLink",
    tag: "Products",
    summary: "Create a payment link that sells a product",
    description: "Name, description and terms are the product's unless the body has others.",
    params: IdParams,
    body: ProductLinkCreate,
    answer: PaymentLink,
    status: 201,
    run: ({ payments, caller, params, body }) => payments.products.createLink(caller, params.id, body),
  }),
  reads("GET /widgets/:id/stats", {
    id: "getWidgetStats",
    tag: "Widgets",
    summary: "What happened at a widget, day by day",
    params: IdParams,
    query: catalog.StatsQuery,
    answer: catalog.WidgetStats,
    run: ({ payments, caller, params, query }) => payments.widgets.stats(caller.org, params.id, query.days),
  }),
  reads("GET /notifications", {
    id: "getNotificationSettings",
    tag: "Notifications",
    summary: "Read the notification settings",
    answer: catalog.NotificationSettings,
    run: ({ payments, caller }) => payments.notifications.get(caller.org),
  }),
  changes("PATCH /notifications", {
    id: "updateNotificationSettings",
    tag: "Notifications",
    summary: "Update the notification settings",
    body: catalog.NotificationUpdate,
    answer: catalog.NotificationSettings,
    run: ({ payments, caller, body }) => payments.notifications.update(caller, body),
  }),
];

interface Resource<Query, Create, Update> {
  list(org: string, query: Query): { data: unknown[]; total: number };
  create(caller: Caller, input: Create): unknown;
  get(org: string, id: string): unknown;
  update(caller: Caller, id: string, input: Update): unknown;
  delete(caller: Caller, id: string): unknown;
}

interface ResourceSpec<Query extends TSchema, Create extends TSchema, Update extends TSchema> {
  path: `/${string}`;
  /** `Product` gives listProducts, createProduct, getProduct, … */
  name: string;
  label: string;
  tag: string;
  resource: (payments: Payments) => Resource<Static<Query>, Static<Create>, Static<Update>>;
  item: TSchema;
  list: TSchema;
  query: Query;
  create: Create;
  update: Update;
  deleted: TSchema;
}

/** What products, discount codes and widgets have in common: list, create, read, update, delete. */
function resourceRoutes<Query extends TSchema, Create extends TSchema, Update extends TSchema>({
  path,
  name,
  label,
  tag,
  resource,
  ...schemas
}: ResourceSpec<Query, Create, Update>): Route[] {
  return [
    lists(`GET ${path}`, {
      id: `list${name}s`,
      tag,
      summary: `List ${tag.toLowerCase()}`,
      query: schemas.query,
      answer: schemas.list,
      run: ({ payments, caller, query }) => resource(payments).list(caller.org, query),
    }),
    changes(`POST ${path}`, {
      id: `create${name}`,
      tag,
      summary: `Create ${label}`,
      body: schemas.create,
      answer: schemas.item,
      status: 201,
      run: ({ payments, caller, body }) => resource(payments).create(caller, body),
    }),
    reads(`GET ${path}/:id`, {
      id: `get${name}`,
      tag,
      summary: `Read ${label}`,
      params: IdParams,
      answer: schemas.item,
      run: ({ payments, caller, params }) => resource(payments).get(caller.org, params.id),
    }),
    changes(`PATCH ${path}/:id`, {
      id: `update${name}`,
      tag,
      summary: `Update ${label}`,
      params: IdParams,
      body: schemas.update,
      answer: schemas.item,
      run: ({ payments, caller, params, body }) => resource(payments).update(caller, params.id, body),
    }),
    changes(`DELETE ${path}/:id`, {
      id: `delete${name}`,
      tag,
      summary: `Delete ${label}`,
      params: IdParams,
      answer: schemas.deleted,
      run: ({ payments, caller, params }) => resource(payments).delete(caller, params.id),
    }),
  ];
}
