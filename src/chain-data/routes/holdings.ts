import type { App } from "../../http/types.ts";
import type { Query } from "../query.ts";
import { ExplorerError, HoldingsAnswer, HoldingsParams, HoldingsQuery } from "../schemas.ts";
import { sendAnswer } from "./support.ts";

export const HOLDINGS_PATH = "/explorer/addresses/:address_hash/tokens";

export function holdingsRoutes(app: App): void {
  app.get(
    HOLDINGS_PATH,
    {
      config: { errorKey: "message" },
      schema: {
        operationId: "listAddressTokens",
        summary: "List the tokens that an address holds",
        description:
          "Largest value first. Send the keys of `next_page_params` back as query parameters to get the next page; the last page has null there. A walk stays on the chain that answered its first page.",
        tags: ["Addresses"],
        params: HoldingsParams,
        querystring: HoldingsQuery,
        response: { 200: HoldingsAnswer, 400: ExplorerError, 500: ExplorerError },
      },
    },
    (request, reply) => {
      const { holdings } = request.chainData;
      return sendAnswer(request, reply, holdings, () =>
        holdings.read(request.params.address_hash, request.query as unknown as Query, request.headers.host),
      );
    },
  );
}
