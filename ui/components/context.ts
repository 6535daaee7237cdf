import { createContext } from "preact";
import { useContext, useEffect, useMemo } from "preact/hooks";
import type { App } from "../app.ts";

const AppContext = createContext<App | undefined>(undefined);
export const AppProvider = AppContext.Provider;

/** The app, once it could be opened: until then, all there is to show is why not. */
export const useOpenedApp = (): App | undefined => useContext(AppContext);

export function useApp(): App {
  const app = useOpenedApp();
  if (!app) throw new Error("A component of the page is shown outside of it.");
  return app;
}

/** A model that lives as long as its component, or until what it is of changes. */
export function useModel<Model extends Disposable>(make: () => Model, of: unknown[]): Model {
  const model = useMemo(make, of);
  useEffect(() => () => model[Symbol.dispose](), [model]);
  return model;
}
