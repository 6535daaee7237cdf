import type { XStatic } from "typebox/schema";
import type { Duration } from "../world/duration.ts";

/** The type of a value in the form in which users write it, derived from its schema. */
export type Configured<S> = S extends { format: "duration" }
  ? Duration
  : S extends { anyOf: readonly (infer Option)[] }
    ? Configured<Option>
    : S extends { properties: infer P; required: readonly (infer R)[] }
      ? { [Name in keyof P as Name extends R ? Name : never]: Configured<P[Name]> } & {
          [Name in keyof P as Name extends R ? never : Name]?: Configured<P[Name]>;
        }
      : S extends { items: infer Item }
        ? Configured<Item>[]
        : XStatic<S>;
