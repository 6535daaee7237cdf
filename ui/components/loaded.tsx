import type { ComponentChildren } from "preact";
import type { Reading } from "../models/reading.ts";
import { Loading, Problem } from "./parts.tsx";

interface LoadedProps<Value> {
  of: Pick<Reading<Value>, "value" | "error" | "read">;
  children: (value: Value) => ComponentChildren;
}

/** What was read; or that it is being read, or why it cannot be. */
export function Loaded<Value>({ of, children }: LoadedProps<Value>) {
  const value = of.value.value;
  if (of.error.value) return <Problem error={of.error.value} retry={() => void of.read()} />;
  return value === undefined ? <Loading /> : children(value);
}
