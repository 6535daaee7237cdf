import type { App } from "../../http/types.ts";
import { listEnvelope } from "../listing.ts";
import { errorResponses, IdParams, NoQuery } from "../schemas/common.ts";
import { Transaction, TransactionList, TransactionListQuery } from "../schemas/transactions.ts";
import { apiPath } from "./support.ts";

const tags = ["Transactions"];

export function transactionRoutes(app: App): void {
  app.get(
    "/transactions",
    {
      schema: {
        operationId: "listTransactions",
        summary: "List transactions",
        tags,
        querystring: TransactionListQuery,
        response: { 200: TransactionList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.transactions.list(request.caller.org, request.query);
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.get(
    "/transactions/:id",
    {
      schema: {
        operationId: "getTransaction",
        summary: "Read a transaction",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Transaction, ...errorResponses },
      },
    },
    (request) => request.payments.transactions.get(request.caller.org, request.params.id),
  );
}
