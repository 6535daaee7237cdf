import type { KnownScenario } from "./catalog.ts";

/** A scenario as lists show it: without where it is on this machine. */
export const scenarioView = ({ name, title, description, params, file, shipped }: KnownScenario) => ({
  name,
  title,
  description,
  params,
  file,
  shipped,
});
