import type { TSchema } from "typebox";
import type { App } from "../../http/types.ts";
import type { Caller } from "../context.ts";
import { listEnvelope, type PageQuery } from "../listing.ts";
import type { Payments } from "../payments.ts";
import * as catalog from "../schemas/catalog.ts";
import { errorResponses, IdParams, NoQuery } from "../schemas/common.ts";
import { PaymentLink, ProductLinkCreate } from "../schemas/payment-links.ts";
import { apiPath, change } from "./support.ts";

/** What products, discount codes and widgets have in common: create, read, list, update, delete. */
interface Resource {
  get(org: string, id: string): unknown;
  list(org: string, query: PageQuery): { data: unknown[]; total: number };
  create(caller: Caller, input: never): unknown;
  update(caller: Caller, id: string, input: never): unknown;
  delete(caller: Caller, id: string): unknown;
}

interface ResourceRoutes {
  path: string;
  /** Names of the operations: `Product` gives listProducts, createProduct, … */
  name: string;
  plural: string;
  label: string;
  tag: string;
  of: (payments: Payments) => Resource;
  schemas: {
    item: TSchema;
    list: TSchema;
    query: TSchema;
    create: TSchema;
    update: TSchema;
    deleted: TSchema;
  };
}

const RESOURCES: ResourceRoutes[] = [
  {
    path: "/products",
    name: "Product",
    plural: "Products",
    label: "a product",
    tag: "Products",
    of: (payments) => payments.products,
    schemas: {
      item: catalog.Product,
      list: catalog.ProductList,
      query: catalog.ProductListQuery,
      create: catalog.ProductCreate,
      update: catalog.ProductUpdate,
      deleted: catalog.ProductDeleted,
    },
  },
  {
    path: "/discount-codes",
    name: "DiscountCode",
    plural: "DiscountCodes",
    label: "a discount code",
    tag: "Discount codes",
    of: (payments) => payments.discounts,
    schemas: {
      item: catalog.DiscountCode,
      list: catalog.DiscountCodeList,
      query: catalog.DiscountCodeListQuery,
      create: catalog.DiscountCodeCreate,
      update: catalog.DiscountCodeUpdate,
      deleted: catalog.DiscountCodeDeleted,
    },
  },
  {
    path: "/widgets",
    name: "Widget",
    plural: "Widgets",
    label: "a widget",
    tag: "Widgets",
    of: (payments) => payments.widgets,
    schemas: {
      item: catalog.Widget,
      list: catalog.WidgetList,
      query: catalog.WidgetListQuery,
      create: catalog.WidgetCreate,
      update: catalog.WidgetUpdate,
      deleted: catalog.WidgetDeleted,
    },
  },
];

export function catalogRoutes(app: App): void {
  for (const resource of RESOURCES) resourceRoutes(app, resource);

  app.post(
    "/discount-codes/validate",
    {
      schema: {
        operationId: "validateDiscountCode",
        summary: "See what a discount code does to an amount",
        tags: ["Discount codes"],
        querystring: NoQuery,
        body: catalog.DiscountValidate,
        response: { 200: catalog.DiscountValidation, ...errorResponses },
      },
    },
    (request, reply) => {
      const { payments, caller, body } = request;
      return change(request, reply, 200, () => {
        payments.links.checkReference(caller.org, body.payment_link_id);
        return payments.discounts.validate(caller.org, body);
      });
    },
  );

  app.post(
    "/discount-codes/batch",
    {
      schema: {
        operationId: "createDiscountCodes",
        summary: "Create discount codes with the same terms",
        description:
          "Codes that cannot be made are listed with the reason; the others are made all the same.",
        tags: ["Discount codes"],
        querystring: NoQuery,
        body: catalog.DiscountCodeBatch,
        response: { 201: catalog.DiscountCodeBatchResult, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 201, () => request.payments.discounts.createBatch(request.caller, request.body)),
  );

  app.post(
    "/products/:id/generate-link",
    {
      schema: {
        operationId: "createProductLink",
        summary: "Create a payment link that sells a product",
        description: "Name, description and terms are the product's unless the body has others.",
        tags: ["Products"],
        params: IdParams,
        querystring: NoQuery,
        body: ProductLinkCreate,
        response: { 201: PaymentLink, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 201, () =>
        request.payments.products.createLink(request.caller, request.params.id, request.body),
      ),
  );

  app.get(
    "/widgets/:id/stats",
    {
      schema: {
        operationId: "getWidgetStats",
        summary: "What happened at a widget, day by day",
        tags: ["Widgets"],
        params: IdParams,
        querystring: catalog.WidgetStatsQuery,
        response: { 200: catalog.WidgetStats, ...errorResponses },
      },
    },
    (request) => request.payments.widgets.stats(request.caller.org, request.params.id, request.query.days),
  );

  const notifications = {
    tags: ["Notifications"],
    querystring: NoQuery,
    response: { 200: catalog.NotificationSettings, ...errorResponses },
  };
  app.get(
    "/notifications",
    {
      schema: {
        operationId: "getNotificationSettings",
        summary: "Read the notification settings",
        ...notifications,
      },
    },
    (request) => request.payments.notifications.get(request.caller.org),
  );
  app.patch(
    "/notifications",
    {
      schema: {
        operationId: "updateNotificationSettings",
        summary: "Update the notification settings",
        body: catalog.NotificationUpdate,
        ...notifications,
      },
    },
    (request, reply) =>
      change(request, reply, 200, () => request.payments.notifications.update(request.caller, request.body)),
  );
}

function resourceRoutes(app: App, { path, name, plural, label, tag, of, schemas }: ResourceRoutes): void {
  const tags = [tag];
  const one = `${path}/:id`;

  app.get(
    path,
    {
      schema: {
        operationId: `list${plural}`,
        summary: `List ${tag.toLowerCase()}`,
        tags,
        querystring: schemas.query,
        response: { 200: schemas.list, ...errorResponses },
      },
    },
    (request) => {
      const query = request.query as PageQuery;
      const { data, total } = of(request.payments).list(request.caller.org, query);
      return listEnvelope(data, total, query, apiPath(request));
    },
  );

  app.post(
    path,
    {
      schema: {
        operationId: `create${name}`,
        summary: `Create ${label}`,
        tags,
        querystring: NoQuery,
        body: schemas.create,
        response: { 201: schemas.item, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 201, () => of(request.payments).create(request.caller, request.body as never)),
  );

  app.get(
    one,
    {
      schema: {
        operationId: `get${name}`,
        summary: `Read ${label}`,
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: schemas.item, ...errorResponses },
      },
    },
    (request) => of(request.payments).get(request.caller.org, request.params.id),
  );

  app.patch(
    one,
    {
      schema: {
        operationId: `update${name}`,
        summary: `Update ${label}`,
        tags,
        params: IdParams,
        querystring: NoQuery,
        body: schemas.update,
        response: { 200: schemas.item, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        of(request.payments).update(request.caller, request.params.id, request.body as never),
      ),
  );

  app.delete(
    one,
    {
      schema: {
        operationId: `delete${name}`,
        summary: `Delete ${label}`,
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: schemas.deleted, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () => of(request.payments).delete(request.caller, request.params.id)),
  );
}
