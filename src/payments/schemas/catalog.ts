import { type Static, Type } from "typebox";
import { Instant, listQuery, nullable, oneOf, shape } from "../../http/shapes.ts";
import { DISCOUNT_REFUSALS, DISCOUNT_TYPES } from "../words.ts";
import {
  Address,
  Amount,
  ChainId,
  Description,
  Expiry,
  HttpUrl,
  Metadata,
  Name,
  ResourceId,
  Search,
  Uses,
} from "./common.ts";

/** The catalog's schemas, kept in one file because they are only data. */

const CATALOG_SORTS = ["created_at", "updated_at"] as const;
const activeFilter = { active: Type.Optional(Type.Boolean()) };
const Active = Type.Boolean({ description: "Also `is_active`." });
const IsActive = Type.Boolean({ description: "Another name for `active`." });

const productFields = {
  description: Type.Optional(nullable(Description)),
  amount: Type.Optional(nullable(Amount)),
  token_address: Type.Optional(nullable(Address)),
  chain_id: Type.Optional(nullable(ChainId)),
  image_url: Type.Optional(nullable(HttpUrl)),
  active: Type.Optional(Active),
  is_active: Type.Optional(IsActive),
  metadata: Type.Optional(Metadata),
};
export const Product = shape("Product", {
  object: Type.Literal("product"),
  id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  amount: nullable(Amount),
  token_address: nullable(Address),
  chain_id: nullable(ChainId),
  image_url: nullable(Type.String()),
  active: Type.Boolean(),
  is_active: Type.Boolean(),
  metadata: Metadata,
  created_at: Instant,
  updated_at: Instant,
});
export const PRODUCTS = {
  item: Product,
  query: listQuery(CATALOG_SORTS, activeFilter),
  create: shape("ProductCreate", { name: Name, ...productFields }),
  update: shape("ProductUpdate", { name: Type.Optional(Name), ...productFields }),
};

const DiscountType = oneOf(DISCOUNT_TYPES);
const DiscountValue = Type.Union([Type.Number(), Type.String()], {
  description: "percentage: a number above 0 and at most 100. fixed: digits, in the token's smallest unit.",
  examples: [15],
});
const TextValue = Type.String({
  maxLength: 78,
  description: "`discount_value` as text, regardless of the type.",
  examples: ["15"],
});
export const MAX_CODE_LENGTH = 64;
export const CODE_PATTERN = "^\\S+$";
const Code = Type.String({
  minLength: 1,
  maxLength: MAX_CODE_LENGTH,
  pattern: CODE_PATTERN,
  description: "The code, unique in the organization.",
  examples: ["SUMMER15"],
});
const discountFields = {
  discount_type: Type.Optional(DiscountType),
  discount_value: Type.Optional(DiscountValue),
  type: Type.Optional(DiscountType),
  value: Type.Optional(TextValue),
  min_order_amount: Type.Optional(nullable(Amount)),
  max_uses: Type.Optional(nullable(Uses)),
  expires_at: Type.Optional(Expiry),
  payment_link_id: Type.Optional(nullable(ResourceId)),
  active: Type.Optional(Active),
  is_active: Type.Optional(IsActive),
};
export const DiscountCodeCreate = shape(
  "DiscountCodeCreate",
  { code: Code, ...discountFields },
  { description: "Requires a type and a value: `discount_type` or `type`, `discount_value` or `value`." },
);
export type DiscountCodeCreate = Static<typeof DiscountCodeCreate>;
export const DiscountCodeUpdate = shape("DiscountCodeUpdate", {
  code: Type.Optional(Code),
  ...discountFields,
});
export type DiscountCodeUpdate = Static<typeof DiscountCodeUpdate>;
export const DiscountCodeBatch = shape("DiscountCodeBatch", {
  codes: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 100,
    description: "The codes to create, all with the same terms.",
    examples: [["SUMMER-1", "SUMMER-2"]],
  }),
  ...discountFields,
});
export type DiscountCodeBatch = Static<typeof DiscountCodeBatch>;
export const DiscountCode = shape("DiscountCode", {
  object: Type.Literal("discount_code"),
  id: Type.String(),
  code: Type.String(),
  type: DiscountType,
  value: TextValue,
  discount_type: DiscountType,
  discount_value: DiscountValue,
  min_order_amount: nullable(Amount),
  max_uses: nullable(Type.Integer()),
  current_uses: Type.Integer(),
  expires_at: nullable(Instant),
  payment_link_id: nullable(Type.String()),
  active: Type.Boolean(),
  is_active: Type.Boolean(),
  created_at: Instant,
  updated_at: Instant,
});
export const DISCOUNT_CODES = {
  item: DiscountCode,
  query: listQuery(CATALOG_SORTS, {
    ...activeFilter,
    payment_link_id: Type.Optional(ResourceId),
    search: Type.Optional(Search),
  }),
  create: DiscountCodeCreate,
  update: DiscountCodeUpdate,
};
export const DiscountCodeBatchResult = shape("DiscountCodeBatchResult", {
  object: Type.Literal("batch_result"),
  created: Type.Array(DiscountCode),
  errors: Type.Array(
    Type.Object({
      code: Type.String(),
      error: Type.String({ description: "Why the code was not created." }),
    }),
  ),
});
export const DiscountValidate = shape(
  "DiscountValidate",
  {
    code: Type.String({ minLength: 1, maxLength: 64, examples: ["SUMMER15"] }),
    amount: Type.Optional(Amount),
    payment_link_id: Type.Optional(nullable(ResourceId)),
  },
  { description: "Default for `amount`: the payment link's amount." },
);
export type DiscountValidate = Static<typeof DiscountValidate>;
export const DiscountValidation = shape("DiscountValidation", {
  object: Type.Literal("discount_validation"),
  valid: Type.Boolean(),
  discount_code: nullable(DiscountCode),
  discount_amount: nullable(Amount),
  final_amount: nullable(Amount),
  reason: nullable(oneOf(DISCOUNT_REFUSALS)),
});

const WidgetType = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: "^[a-z][a-z0-9_-]*$",
  examples: ["button"],
});
const Config = Type.Record(Type.String(), Type.Unknown(), {
  description: "Free-form, at most 16384 characters as JSON.",
});
const Theme = Type.Record(Type.String(), Type.Unknown(), {
  description: "Colours and similar settings, free-form, at most 16384 characters as JSON.",
  examples: [{ primary: "#0f766e" }],
});
const widgetFields = {
  widget_type: Type.Optional(WidgetType),
  description: Type.Optional(nullable(Description)),
  config: Type.Optional(Config),
  theme: Type.Optional(Theme),
  payment_link_id: Type.Optional(nullable(ResourceId)),
  active: Type.Optional(Active),
  is_active: Type.Optional(IsActive),
};
export const Widget = shape("Widget", {
  object: Type.Literal("widget_config"),
  id: Type.String(),
  short_code: Type.String(),
  url: Type.String({ description: "The widget's page: each visit is a view." }),
  name: Type.String(),
  description: nullable(Type.String()),
  widget_type: Type.String(),
  config: Config,
  theme: Theme,
  payment_link_id: nullable(Type.String()),
  active: Type.Boolean(),
  is_active: Type.Boolean(),
  current_views: Type.Integer(),
  created_at: Instant,
  updated_at: Instant,
});
export const WIDGETS = {
  item: Widget,
  query: listQuery(["created_at", "updated_at", "current_views"], {
    ...activeFilter,
    widget_type: Type.Optional(Type.String({ maxLength: 50 })),
    search: Type.Optional(Search),
  }),
  create: shape("WidgetCreate", { name: Name, ...widgetFields }),
  update: shape("WidgetUpdate", { name: Type.Optional(Name), ...widgetFields }),
};
export const StatsQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 30,
    description: "UTC days, including today.",
  }),
});
export const WidgetStats = shape("WidgetStats", {
  object: Type.Literal("widget_stats"),
  widget_id: Type.String(),
  summary: Type.Object({
    total_views: Type.Integer({ description: "Visits to the widget's page." }),
    total_interactions: Type.Integer({ description: "Checkout sessions opened on the widget's page." }),
    total_completions: Type.Integer({ description: "How many of those sessions were completed." }),
  }),
  daily: Type.Array(
    Type.Object({
      date: Type.String({ examples: ["2026-01-15"] }),
      views: Type.Integer(),
      interactions: Type.Integer(),
      completions: Type.Integer(),
    }),
  ),
});
