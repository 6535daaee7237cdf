import { faultHeaders, meetApiFaults } from "../http/api-faults.ts";
import type { AreaDoor } from "../http/area.ts";
import { openToPages } from "../http/cors.ts";
import { addRoutes, type Route } from "../http/route-table.ts";
import type { App } from "../http/types.ts";
import type { ChainData } from "./chain-data.ts";
import { DataError } from "./errors.ts";
import { DATA } from "./name.ts";
import { holdingsRoute } from "./routes/holdings.ts";
import { lookupRoute } from "./routes/lookup.ts";
import { sendDataError, sendUnknownRoute } from "./routes/support.ts";

const READABLE_HEADERS = [
  "Cache-Status",
  "Age",
  "X-Cache",
  "X-Sandbox-Provider",
  "X-Sandbox-Chain",
  "X-Sandbox-Fault",
];
const BASE = `/${DATA}`;

/** Chain data over HTTP, below `/data`: the lookup and the listing. */
export async function dataRoutes(app: App, { open }: AreaDoor<ChainData>): Promise<void> {
  app.decorateRequest("chainData");
  app.setErrorHandler(sendDataError);
  app.setNotFoundHandler(sendUnknownRoute);
  // The schemas describe; what a request says is read by the rules themselves, which know more and cost less.
  app.setValidatorCompiler(() => () => true);
  openToPages(app, READABLE_HEADERS);
  app.addHook("onRequest", (request, _reply, done) => {
    request.chainData = open(request);
    done();
  });
  meetApiFaults(app, DATA, {
    world: ({ chainData }) => chainData.world,
    paths: ({ url }) => [pathBelow(url)],
    error: (status) =>
      new DataError(status, `A fault was set on this API: it answers ${status}.`, faultHeaders(status)),
  });
  const routes = [lookupRoute, holdingsRoute];
  addRoutes(app, routes);
  for (const route of routes) refuseChanges(app, route);
}

/** There is nothing to change here. */
function refuseChanges(app: App, { name, config = {} }: Route): void {
  app.route({
    method: ["POST", "PUT", "PATCH", "DELETE"],
    url: name.slice("GET ".length),
    config,
    // Before a body is looked at.
    onRequest: async ({ method }) => {
      throw new DataError(405, `${method} is not allowed here: use GET.`, { allow: "GET, HEAD, OPTIONS" });
    },
    handler: async () => undefined,
  });
}

function pathBelow(url: string): string {
  const end = url.indexOf("?");
  const start = url.startsWith(BASE) ? BASE.length : 0;
  return url.slice(start, end === -1 ? undefined : end);
}
