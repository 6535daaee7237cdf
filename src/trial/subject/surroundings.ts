import type { Outside } from "../outside/outside.ts";
import type { Stores } from "../outside/stores.ts";
import type { Statements } from "../statements/statements.ts";
import type { StoryApi } from "./api.ts";
import type { OwnedServer } from "./instances.ts";

/** What a trial controls around a subscriber. Some deviations require parts of it. */
export interface Surroundings {
  /** The subscriber's process, if the trial started it. */
  server?: OwnedServer | undefined;
  /** The API that the subscriber calls, if the trial serves one. */
  api?: StoryApi | undefined;
  /** Handles the subscriber's calls to other services, if the trial started the subscriber. */
  outside?: Outside | undefined;
  /** Sits between the subscriber and its stores behind an HTTP API. */
  stores?: Stores | undefined;
  /** The subscriber's database statements, if they are observed. */
  statements?: Statements | undefined;
}

/**
 * Whether the subscriber calls the API. The API's responses depend on the moment, so every run is then played as a
 * whole.
 */
export const callsApi = ({ api }: Surroundings): boolean => api !== undefined && api.calls > 0;
