import { useEffect, useMemo } from "preact/hooks";
import type { JournalEntry } from "../api-types.ts";
import { createReading, type Reading } from "../models/reading.ts";
import { refreshOn } from "../models/refresh.ts";
import { useApp } from "./context.ts";

/** Reads when it is shown, and when what it is of changes. */
export function useReading<Value>(
  work: (quiet: boolean) => Promise<Value>,
  of: unknown[] = [],
): Reading<Value> {
  const reading = useMemo(() => createReading(work), of);
  useEffect(() => void reading.read(), [reading]);
  return reading;
}

/** Reads as `useReading` does, and again whenever the journal says that it may have changed. */
export function useLiveReading<Value>(
  matters: (entry: JournalEntry) => boolean,
  work: () => Promise<Value>,
  of: unknown[] = [],
): Reading<Value> {
  const { live } = useApp();
  const reading = useReading(work, of);
  useEffect(() => refreshOn(live, matters, reading.read), [reading]);
  return reading;
}
