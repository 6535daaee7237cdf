import type { Operation } from "../../operations/operation.ts";

/** The implementations of operations, by their names. A Buffer is JSON that another thread made. */
export type Bound<Declared extends Operation> = {
  [One in Declared as One["name"]]: (request: Types<One>["request"]) => Answered<Types<One>["result"]>;
};

type Types<One extends Operation> = NonNullable<One["types"]>;
type Answered<Result> = Told<Result> | Buffer | Promise<Told<Result> | Buffer>;
/** The type of an answer that becomes JSON at once. */
type Told<Value> = Value extends object ? { readonly [Key in keyof Value]: Told<Value[Key]> } : Value;
