import { type Static, Type } from "typebox";
import {
  Address,
  Amount,
  ChainId,
  Description,
  deletedOf,
  Email,
  HttpUrl,
  Instant,
  listOf,
  listQuery,
  Metadata,
  Name,
  Nullable,
  ResourceId,
  Uses,
} from "./common.ts";

const CATALOG_SORTS = ["created_at", "updated_at"] as const;
const activeFilter = { active: Type.Optional(Type.Boolean()) };

// Products

const productFields = {
  description: Type.Optional(Nullable(Description)),
  amount: Type.Optional(Nullable(Amount)),
  token_address: Type.Optional(Nullable(Address)),
  chain_id: Type.Optional(Nullable(ChainId)),
  image_url: Type.Optional(Nullable(HttpUrl)),
  active: Type.Optional(Type.Boolean()),
  metadata: Type.Optional(Metadata),
};
export const ProductCreate = Type.Object({ name: Name, ...productFields }, { title: "ProductCreate" });
export type ProductCreate = Static<typeof ProductCreate>;
export const ProductUpdate = Type.Object(
  { name: Type.Optional(Name), ...productFields },
  { title: "ProductUpdate" },
);
export type ProductUpdate = Static<typeof ProductUpdate>;
export const Product = Type.Object(
  {
    object: Type.Literal("product"),
    id: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    amount: Nullable(Amount),
    token_address: Nullable(Address),
    chain_id: Nullable(ChainId),
    image_url: Nullable(Type.String()),
    active: Type.Boolean(),
    metadata: Metadata,
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Product" },
);
export const ProductList = listOf(Product, "ProductList");
export const ProductDeleted = deletedOf("product", "ProductDeleted");
export const ProductListQuery = listQuery(CATALOG_SORTS, activeFilter);

// Discount codes

const DiscountType = Type.Unsafe<"percentage" | "fixed">({ type: "string", enum: ["percentage", "fixed"] });
const DiscountValue = Type.Union([Type.Number(), Type.String()], {
  description: "percentage: a number above 0 and at most 100. fixed: digits, in the token's smallest unit.",
  examples: [15],
});
const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^\\S+$",
  description: "Unique in the organization.",
  examples: ["SUMMER15"],
});
const discountFields = {
  max_uses: Type.Optional(Nullable(Uses)),
  expires_at: Type.Optional(Nullable(Instant)),
  payment_link_id: Type.Optional(Nullable(ResourceId)),
  active: Type.Optional(Type.Boolean()),
};
export const DiscountCodeCreate = Type.Object(
  { code: Code, discount_type: DiscountType, discount_value: DiscountValue, ...discountFields },
  { title: "DiscountCodeCreate" },
);
export type DiscountCodeCreate = Static<typeof DiscountCodeCreate>;
export const DiscountCodeUpdate = Type.Object(
  {
    code: Type.Optional(Code),
    discount_type: Type.Optional(DiscountType),
    discount_value: Type.Optional(DiscountValue),
    ...discountFields,
  },
  { title: "DiscountCodeUpdate" },
);
export type DiscountCodeUpdate = Static<typeof DiscountCodeUpdate>;
export const DiscountCode = Type.Object(
  {
    object: Type.Literal("discount_code"),
    id: Type.String(),
    code: Type.String(),
    discount_type: DiscountType,
    discount_value: DiscountValue,
    max_uses: Nullable(Type.Integer()),
    current_uses: Type.Integer(),
    expires_at: Nullable(Instant),
    payment_link_id: Nullable(Type.String()),
    active: Type.Boolean(),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "DiscountCode" },
);
export const DiscountCodeList = listOf(DiscountCode, "DiscountCodeList");
export const DiscountCodeDeleted = deletedOf("discount_code", "DiscountCodeDeleted");
export const DiscountCodeListQuery = listQuery(CATALOG_SORTS, activeFilter);
export const DiscountValidate = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 64, examples: ["SUMMER15"] }),
    amount: Amount,
    payment_link_id: Type.Optional(Nullable(ResourceId)),
  },
  { title: "DiscountValidate" },
);
export type DiscountValidate = Static<typeof DiscountValidate>;
export const DiscountValidation = Type.Object(
  {
    valid: Type.Boolean(),
    discount_amount: Amount,
    final_amount: Amount,
    reason: Nullable(
      Type.Unsafe<string>({
        type: "string",
        enum: ["not_found", "inactive", "expired", "used_up", "other_payment_link"],
      }),
    ),
  },
  { title: "DiscountValidation" },
);

// Widgets

const WidgetType = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: "^[a-z][a-z0-9_-]*$",
  examples: ["button"],
});
const Config = Type.Record(Type.String(), Type.Unknown(), {
  description: "Free-form, at most 16384 characters as JSON.",
});
const widgetFields = {
  config: Type.Optional(Config),
  payment_link_id: Type.Optional(Nullable(ResourceId)),
  active: Type.Optional(Type.Boolean()),
};
export const WidgetCreate = Type.Object(
  { name: Name, widget_type: Type.Optional(WidgetType), ...widgetFields },
  { title: "WidgetCreate" },
);
export type WidgetCreate = Static<typeof WidgetCreate>;
export const WidgetUpdate = Type.Object(
  { name: Type.Optional(Name), widget_type: Type.Optional(WidgetType), ...widgetFields },
  { title: "WidgetUpdate" },
);
export type WidgetUpdate = Static<typeof WidgetUpdate>;
export const Widget = Type.Object(
  {
    object: Type.Literal("widget"),
    id: Type.String(),
    name: Type.String(),
    widget_type: Type.String(),
    config: Config,
    payment_link_id: Nullable(Type.String()),
    active: Type.Boolean(),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Widget" },
);
export const WidgetList = listOf(Widget, "WidgetList");
export const WidgetDeleted = deletedOf("widget", "WidgetDeleted");
export const WidgetListQuery = listQuery(CATALOG_SORTS, {});

// Notifications

export const NotificationUpdate = Type.Object(
  {
    email: Type.Optional(Email),
    webhook_disabled: Type.Optional(
      Type.Boolean({ description: "Whether the owner is told by e-mail that an endpoint was disabled." }),
    ),
  },
  { title: "NotificationUpdate" },
);
export type NotificationUpdate = Static<typeof NotificationUpdate>;
export const NotificationSettings = Type.Object(
  {
    object: Type.Literal("notification_settings"),
    email: Type.String(),
    webhook_disabled: Type.Boolean(),
    updated_at: Instant,
  },
  { title: "NotificationSettings" },
);
