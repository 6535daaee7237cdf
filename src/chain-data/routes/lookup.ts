import { type Route, schemaOf } from "../../http/route-table.ts";
import type { Query } from "../query.ts";
import { LookupAnswer, LookupError, LookupQuery } from "../schemas.ts";
import { sendAnswer } from "./support.ts";

export const lookupRoute: Route = {
  name: "GET /insights/v1/tokens/lookup",
  config: { errorKey: "error" },
  schema: schemaOf(
    {
      id: "lookupTokens",
      tag: "Tokens",
      summary: "Look fungible tokens up by symbol",
      description:
        "In the order of the symbols, then by chain and address. X-Cache, Cache-Status, Age, X-Sandbox-Provider and X-Sandbox-Chain say where the answer comes from.",
      query: LookupQuery,
      answer: LookupAnswer,
    },
    { 400: LookupError, 405: LookupError, 500: LookupError },
  ),
  handle(request, reply) {
    const { lookup } = request.chainData;
    return sendAnswer(request, reply, lookup, () =>
      lookup.read(request.query as Query, request.headers.host),
    );
  },
};
