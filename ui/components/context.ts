import { createContext } from "preact";
import { useContext, useEffect, useMemo } from "preact/hooks";
import type { JournalEntry } from "../api-types.ts";
import type { App } from "../app.ts";
import { createKeys, type KeyMap } from "../keys.ts";
import { createReading, type Reading } from "../models/reading.ts";
import { refreshOn } from "../models/refresh.ts";

const AppContext = createContext<App | undefined>(undefined);
export const AppProvider = AppContext.Provider;

/** The app, or undefined if it could not be opened. In that case the page only shows the reason. */
export const useOpenedApp = (): App | undefined => useContext(AppContext);

export function useApp(): App {
  const app = useOpenedApp();
  if (!app) throw new Error("A page component was rendered outside the page.");
  return app;
}

/** Creates a model that is disposed of together with its component, or when a dependency in `of` changes. */
export function useModel<Model extends Disposable>(make: () => Model, of: unknown[]): Model {
  const model = useMemo(make, of);
  useEffect(() => () => model[Symbol.dispose](), [model]);
  return model;
}

/** Registers a component's keyboard shortcuts while it is mounted. They take precedence over the page's own. */
export function useKeys(map: () => KeyMap, of: unknown[]): void {
  const { machine } = useApp();
  useEffect(() => {
    const press = createKeys(map(), { now: machine.now });
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, of);
}

/** Reads a value on mount, and again whenever a dependency in `of` changes. */
export function useReading<Value>(work: () => Promise<Value>, of: unknown[] = []): Reading<Value> {
  const reading = useMemo(() => createReading(work), of);
  useEffect(() => void reading.read(), [reading]);
  return reading;
}

/** Like `useReading`, but also reads again when a matching journal entry arrives. */
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
