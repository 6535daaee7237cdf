import { CONTROL, CONTROL_PATH } from "../control/name.ts";
import { describeRoutes, type OpenApiDocument } from "../http/openapi.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import { VERSION } from "../sandbox/sandbox.ts";

/** The names of the OpenAPI documents: one for each area, and one for the control API. */
export const contractNames = (areas: readonly AnyArea[] = AREAS): string[] => [
  ...areas.map(({ name }) => name),
  CONTROL,
];

const unopened = (): never => {
  throw new Error("Routes that are only described are never called");
};

/** The OpenAPI document of an area or of the control API, for a sandbox served at `origin`. */
export async function openApiDocument(
  name: string,
  origin: string,
  areas: readonly AnyArea[] = AREAS,
): Promise<OpenApiDocument> {
  const server = `${origin}/${name === CONTROL ? CONTROL_PATH : name}`;
  const area = areas.find((one) => one.name === name);
  if (area)
    return describeRoutes((app) => area.routes(app, { open: unopened }), {
      version: VERSION,
      ...area.document,
      server,
    });
  const { controlRoutes } = await import("../control/routes.ts");
  return describeRoutes((app) => controlRoutes(app, { guard: unopened, open: unopened, serving: unopened }), {
    title: "Sandglass control API",
    description:
      "The clock, payments, chain data, the game launcher, faults and records of a sandbox. It only responds to this machine, and to other machines that send a shared sandbox's token. It needs no API key.",
    version: VERSION,
    server,
  });
}
