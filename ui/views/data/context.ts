import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { JournalEntry } from "../../api-types.ts";
import type { DataApi, Provider } from "../../models/chain-data/api.ts";
import type { Reading } from "../../models/reading.ts";

interface DataParts {
  api: DataApi;
  providers: Reading<Provider[]>;
  /** What the journal has about asking them. */
  entries: Reading<JournalEntry[]>;
}

const DataContext = createContext<DataParts | undefined>(undefined);
export const DataProvider = DataContext.Provider;

export function useData(): DataParts {
  const parts = useContext(DataContext);
  if (!parts) throw new Error("A part of the chain data view is shown outside of it.");
  return parts;
}
