import { useEffect, useMemo } from "preact/hooks";
import type { JournalEntry } from "../api-types.ts";
import { createLiveReading, createReading, type Reading } from "../models/reading.ts";
import { useApp, useModel } from "./context.ts";

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
  return useModel(() => createLiveReading(live, matters, work), of);
}
