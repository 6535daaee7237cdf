import type { Static } from "typebox";
import { type Route, schemaOf } from "../../http/route-table.ts";
import type { Query } from "../query.ts";
import { ExplorerError, HoldingsAnswer, HoldingsParams, HoldingsQuery } from "../schemas.ts";
import { sendAnswer } from "./support.ts";

export const holdingsRoute: Route = {
  name: "GET /explorer/addresses/:address_hash/tokens",
  config: { errorKey: "message" },
  schema: schemaOf(
    {
      id: "listAddressTokens",
      tag: "Addresses",
      summary: "List the tokens that an address holds",
      description:
        "Largest value first. Send the keys of `next_page_params` back as query parameters to get the next page; the last page has null there. A walk stays on the chain that answered its first page.",
      params: HoldingsParams,
      query: HoldingsQuery,
      answer: HoldingsAnswer,
    },
    { 400: ExplorerError, 405: ExplorerError, 500: ExplorerError },
  ),
  handle(request, reply) {
    const { holdings } = request.chainData;
    const params = request.params as Static<typeof HoldingsParams>;
    return sendAnswer(request, reply, holdings, () =>
      holdings.read(params.address_hash, request.query as Query, request.headers.host),
    );
  },
};
