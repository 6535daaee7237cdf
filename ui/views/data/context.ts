import type { JournalEntry } from "../../api-types.ts";
import { createParts } from "../../components/context.ts";
import type { DataApi, Provider } from "../../models/chain-data/api.ts";
import type { Reading } from "../../models/reading.ts";

interface DataParts {
  api: DataApi;
  providers: Reading<Provider[]>;
  /** What the journal has about asking them. */
  entries: Reading<JournalEntry[]>;
}

export const [DataProvider, useData] = createParts<DataParts>("the chain data view");
