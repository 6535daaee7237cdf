import type { Operation } from "../../operations/operation.ts";

/** What operations do to the sandbox of their request, by their names. A Buffer is JSON that was made in another thread. */
export type Bound<Declared extends Operation> = {
  [One in Declared as One["name"]]: (request: Types<One>["request"]) => Answered<Types<One>["result"]>;
};

type Types<One extends Operation> = NonNullable<One["types"]>;
type Answered<Result> = Told<Result> | Buffer | Promise<Told<Result> | Buffer>;
/** An answer as it is read: it becomes JSON at once. */
type Told<Value> = Value extends object ? { readonly [Key in keyof Value]: Told<Value[Key]> } : Value;
