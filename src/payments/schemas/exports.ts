import { Type } from "typebox";
import { Moment } from "./common.ts";

export const range = {
  from: Type.Optional(Moment("Made at or after")),
  to: Type.Optional(Moment("Made at or before")),
};

export const exportFields = {
  format: Type.Unsafe<"csv" | "json">({ type: "string", enum: ["csv", "json"], default: "csv" }),
  ...range,
};
