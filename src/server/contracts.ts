import { controlRoutes } from "../control/routes.ts";
import { describeRoutes, type OpenApiDocument } from "../http/openapi.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import { VERSION } from "../sandbox/sandbox.ts";

/** The control API's name, among those of the areas. */
export const CONTROL = "control";

/** The documents there are: one for each area, and the control API's. */
export const contractNames = (areas: readonly AnyArea[] = AREAS): string[] => [
  ...areas.map(({ name }) => name),
  CONTROL,
];

/** Where a contract's API is, below the server. */
export const contractBase = (name: string): string => (name === CONTROL ? "/_sandbox" : `/${name}`);

const unopened = (): never => {
  throw new Error("Routes that are only described are never called");
};

/** The OpenAPI document of an area or of the control API, for a sandbox served at `origin`. */
export function openApiDocument(
  name: string,
  origin: string,
  areas: readonly AnyArea[] = AREAS,
): Promise<OpenApiDocument> {
  const server = origin + contractBase(name);
  const area = areas.find((one) => one.name === name);
  if (area)
    return describeRoutes((app) => area.routes(app, { open: unopened }), {
      version: VERSION,
      ...area.document,
      server,
    });
  return describeRoutes(
    (app) => controlRoutes(app, { open: unopened, worlds: unopened, scenarios: unopened, allowedHosts: [] }),
    {
      title: "Sandglass control API",
      description:
        "The clock, payments, chain data, the game launcher, faults and records of a sandbox. It answers this machine only and takes no key.",
      version: VERSION,
      server,
    },
  );
}
