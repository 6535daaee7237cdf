import { TransactionStats } from "../schemas/analytics.ts";
import { IdParams } from "../schemas/common.ts";
import {
  Transaction,
  TransactionExportQuery,
  TransactionList,
  TransactionListQuery,
} from "../schemas/transactions.ts";
import { emailOf } from "../transactions.ts";
import { createdBetween, downloads } from "./exports.ts";
import { lists, reads, tagged } from "./table.ts";

export const transactionRoutes = tagged("Transactions", [
  lists("GET /transactions", {
    id: "listTransactions",
    summary: "List transactions",
    query: TransactionListQuery,
    answer: TransactionList,
    run: ({ payments, caller, query }) =>
      payments.transactions.list(caller.org, query, createdBetween(query)),
  }),
  reads("GET /transactions/stats", {
    id: "getTransactionStats",
    summary: "Count all transactions",
    answer: TransactionStats,
    run: ({ payments, caller }) => payments.stats.ofTransactions(caller.org),
  }),
  downloads("GET /transactions/export", {
    id: "exportTransactions",
    summary: "Download all transactions",
    query: TransactionExportQuery,
    answer: TransactionList,
    items: ({ payments, caller, query }, created) =>
      payments.transactions.export(caller.org, created, query.status),
    columns: [
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
      "email",
      "discount_code",
      "failure_reason",
      "created_at",
      "completed_at",
      "failed_at",
      "updated_at",
    ],
    cells: (item) => ({ ...item, email: emailOf(item.form_data) }),
  }),
  reads("GET /transactions/:id", {
    id: "getTransaction",
    summary: "Read a transaction",
    params: IdParams,
    answer: Transaction,
    run: ({ payments, caller, params }) => payments.transactions.get(caller.org, params.id),
  }),
]);
