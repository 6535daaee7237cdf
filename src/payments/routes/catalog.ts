import * as shapes from "../schemas/catalog.ts";
import { IdParams } from "../schemas/common.ts";
import { NotificationSettings, NotificationUpdate } from "../schemas/notifications.ts";
import { PaymentLink, ProductLinkCreate } from "../schemas/payment-links.ts";
import { resourceRoutes } from "./resource.ts";
import { changes, reads, tagged } from "./table.ts";

const productRoutes = tagged("Products", [
  ...resourceRoutes({
    path: "/products",
    label: "product",
    resource: ({ products }) => products,
    schemas: shapes.PRODUCTS,
  }),
  changes("POST /products/:id/generate-link", {
    id: "createProductLink",
    summary: "Create a payment link that sells a product",
    description: "The name, description and terms come from the product unless the body overrides them.",
    params: IdParams,
    body: ProductLinkCreate,
    answer: PaymentLink,
    status: 201,
    run: ({ payments, caller, params, body }) => payments.products.createLink(caller, params.id, body),
  }),
]);

const discountRoutes = tagged("Discount codes", [
  ...resourceRoutes({
    path: "/discount-codes",
    label: "discount code",
    resource: ({ discounts }) => discounts,
    schemas: shapes.DISCOUNT_CODES,
  }),
  changes("POST /discount-codes/validate", {
    id: "validateDiscountCode",
    summary: "Calculate a discount code's effect on an amount",
    body: shapes.DiscountValidate,
    answer: shapes.DiscountValidation,
    run({ payments, caller, body }) {
      payments.links.checkReference(caller.org, body.payment_link_id);
      return payments.discounts.validate(caller.org, body);
    },
  }),
  changes("POST /discount-codes/batch", {
    id: "createDiscountCodes",
    summary: "Create discount codes with the same terms",
    description: "Codes that cannot be created are listed with the reason; all others are created.",
    body: shapes.DiscountCodeBatch,
    answer: shapes.DiscountCodeBatchResult,
    status: 201,
    run: ({ payments, caller, body }) => payments.discounts.createBatch(caller, body),
  }),
]);

const widgetRoutes = tagged("Widgets", [
  ...resourceRoutes({
    path: "/widgets",
    label: "widget",
    resource: ({ widgets }) => widgets,
    schemas: shapes.WIDGETS,
  }),
  reads("GET /widgets/:id/stats", {
    id: "getWidgetStats",
    summary: "Read a widget's statistics by day",
    params: IdParams,
    query: shapes.StatsQuery,
    answer: shapes.WidgetStats,
    run: ({ payments, caller, params, query }) => payments.stats.ofWidget(caller.org, params.id, query.days),
  }),
]);

const notificationRoutes = tagged("Notifications", [
  reads("GET /notifications", {
    id: "getNotificationSettings",
    summary: "Read the notification settings",
    answer: NotificationSettings,
    run: ({ payments, caller }) => payments.notifications.get(caller.org),
  }),
  changes("PATCH /notifications", {
    id: "updateNotificationSettings",
    summary: "Update the notification settings",
    body: NotificationUpdate,
    answer: NotificationSettings,
    run: ({ payments, caller, body }) => payments.notifications.update(caller, body),
  }),
]);

export const catalogRoutes = [...productRoutes, ...discountRoutes, ...widgetRoutes, ...notificationRoutes];
