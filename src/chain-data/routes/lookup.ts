import type { App } from "../../http/types.ts";
import type { Query } from "../query.ts";
import { LookupAnswer, LookupError, LookupQuery } from "../schemas.ts";
import { sendAnswer } from "./support.ts";

export const LOOKUP_PATH = "/insights/v1/tokens/lookup";

export function lookupRoutes(app: App): void {
  app.get(
    LOOKUP_PATH,
    {
      config: { errorKey: "error" },
      schema: {
        operationId: "lookupTokens",
        summary: "Look fungible tokens up by symbol",
        description:
          "In the order of the symbols, then by chain and address. X-Cache, Cache-Status, Age, X-Sandbox-Provider and X-Sandbox-Chain say where the answer comes from.",
        tags: ["Tokens"],
        querystring: LookupQuery,
        response: { 200: LookupAnswer, 400: LookupError, 500: LookupError },
      },
    },
    (request, reply) => {
      const { lookup } = request.chainData;
      return sendAnswer(request, reply, lookup, () =>
        lookup.read(request.query as unknown as Query, request.headers.host),
      );
    },
  );
}
