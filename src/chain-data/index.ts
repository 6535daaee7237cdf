import type { Static } from "typebox";
import { pathBelow } from "../http/address.ts";
import { faultHeaders, meetApiFaults } from "../http/api-faults.ts";
import type { AreaDoor } from "../http/area.ts";
import { openToPages } from "../http/cors.ts";
import { addRoutes, type Route, schemaOf } from "../http/route-table.ts";
import type { App } from "../http/types.ts";
import { addHint, hintAtUnknownParameters } from "../http/unknown-input.ts";
import type { ChainData } from "./chain-data.ts";
import { DataError } from "./errors.ts";
import { DATA } from "./name.ts";
import { type Query, valuesOf } from "./query.ts";
import { sendAnswer, sendDataError, sendUnknownRoute } from "./routes/support.ts";
import {
  ExplorerError,
  HoldingsAnswer,
  HoldingsParams,
  HoldingsQuery,
  LookupAnswer,
  LookupError,
  LookupQuery,
} from "./schemas.ts";

const READABLE_HEADERS = [
  "Cache-Status",
  "Age",
  "X-Cache",
  "X-Sandbox-Provider",
  "X-Sandbox-Chain",
  "X-Sandbox-Fault",
  "X-Sandbox-Hint",
];

export async function dataRoutes(app: App, { open }: AreaDoor<ChainData>): Promise<void> {
  app.decorateRequest("chainData");
  app.setErrorHandler(sendDataError);
  app.setNotFoundHandler(sendUnknownRoute);
  // The schemas are documentation only. The code validates requests itself, which is faster and more precise.
  app.setValidatorCompiler(() => () => true);
  openToPages(app, READABLE_HEADERS);
  app.addHook("onRequest", (request, reply, done) => {
    request.chainData = open(request);
    if (!request.is404) hintAtUnknownParameters(request, reply);
    done();
  });
  meetApiFaults(app, DATA, {
    world: ({ chainData }) => chainData.world,
    paths: ({ url }) => [pathBelow(`/${DATA}`, url)],
    error: (status) =>
      new DataError(status, `A fault makes this API return ${status}.`, faultHeaders(status)),
  });
  const routes = [lookupRoute, holdingsRoute];
  addRoutes(app, routes);
  for (const route of routes) refuseChanges(app, route);
}

function refuseChanges(app: App, { name, config = {} }: Route): void {
  app.route({
    method: ["POST", "PUT", "PATCH", "DELETE"],
    url: name.slice("GET ".length),
    config,
    // Reject the method here, before the body is read.
    onRequest: async ({ method }) => {
      throw new DataError(405, `${method} is not allowed here: use GET.`, { allow: "GET, HEAD, OPTIONS" });
    },
    handler: async () => undefined,
  });
}

const holdingsRoute: Route = {
  name: "GET /explorer/addresses/:address_hash/tokens",
  config: { errorKey: "message" },
  schema: schemaOf(
    {
      id: "listAddressTokens",
      tag: "Addresses",
      summary: "List the tokens that an address holds",
      description:
        "Sorted by value, largest first. To get the next page, send the keys of `next_page_params` back as query parameters; on the last page it is null. All pages come from the chain that served the first.",
      params: HoldingsParams,
      query: HoldingsQuery,
      answer: HoldingsAnswer,
    },
    { 400: ExplorerError, 405: ExplorerError, 500: ExplorerError },
  ),
  handle(request, reply) {
    const { holdings } = request.chainData;
    const { address_hash } = request.params as Static<typeof HoldingsParams>;
    const asked = holdings.read(address_hash, request.query as Query, request.headers.host);
    return sendAnswer(request, reply, holdings, asked);
  },
};

const lookupRoute: Route = {
  name: "GET /insights/v1/tokens/lookup",
  config: { errorKey: "error" },
  schema: schemaOf(
    {
      id: "lookupTokens",
      tag: "Tokens",
      summary: "Look up fungible tokens by symbol",
      description:
        "In the order of the requested symbols, then by chain and address. X-Cache, Cache-Status, Age, X-Sandbox-Provider and X-Sandbox-Chain say where the response comes from.",
      query: LookupQuery,
      answer: LookupAnswer,
    },
    { 400: LookupError, 405: LookupError, 500: LookupError },
  ),
  handle(request, reply) {
    const { lookup } = request.chainData;
    const query = request.query as Query;
    if (valuesOf(query, "symbol").some((symbol) => symbol.includes(",")))
      addHint(
        reply,
        "A symbol cannot contain a comma. To pass several, repeat the parameter: symbol=USDC&symbol=WETH.",
      );
    return sendAnswer(request, reply, lookup, lookup.read(query, request.headers.host));
  },
};
