import type { App } from "../../http/types.ts";
import { listEnvelope } from "../listing.ts";
import { errorResponses, IdParams, NoQuery } from "../schemas/common.ts";
import {
  Transaction,
  TransactionExportQuery,
  TransactionList,
  TransactionListQuery,
} from "../schemas/transactions.ts";
import type { transactionResource } from "../transactions.ts";
import { createdBetween, fieldColumns, sendExport } from "./exports.ts";
import { apiPath } from "./support.ts";

const tags = ["Transactions"];

type Item = ReturnType<typeof transactionResource>;
const COLUMNS = {
  ...fieldColumns<Item>([
    "id",
    "status",
    "amount",
    "token_address",
    "chain_id",
    "sender_address",
    "recipient_address",
    "tx_hash",
    "payment_link_id",
    "session_id",
    "customer_id",
  ]),
  email: ({ form_data: form }: Item) => (typeof form.email === "string" ? form.email : null),
  ...fieldColumns<Item>([
    "discount_code",
    "failure_reason",
    "created_at",
    "completed_at",
    "failed_at",
    "updated_at",
  ]),
};

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
    "/transactions/export",
    {
      schema: {
        operationId: "exportTransactions",
        summary: "Download all transactions",
        description: "As CSV, or as JSON in a list envelope; newest first.",
        tags,
        querystring: TransactionExportQuery,
        produces: ["text/csv"],
        response: { 200: TransactionList, ...errorResponses },
      },
    },
    (request, reply) => {
      const { payments, caller, query } = request;
      return sendExport(request, reply, {
        name: "transactions",
        format: query.format,
        items: payments.transactions.export(caller.org, createdBetween(query), query.status),
        columns: COLUMNS,
      });
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
