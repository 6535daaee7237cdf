import { IdParams, listOf } from "../schemas/common.ts";
import * as shapes from "../schemas/customers.ts";
import { CustomerTransactionListQuery, TransactionList } from "../schemas/transactions.ts";
import { downloads } from "./exports.ts";
import { resourceRoutes } from "./resource.ts";
import { lists, tagged } from "./table.ts";

export const customerRoutes = tagged("Customers", [
  ...resourceRoutes({
    path: "/customers",
    label: "customer",
    resource: ({ customers }) => customers,
    schemas: shapes.CUSTOMERS,
    notes: {
      list: "Each wallet that paid, or tried to.",
      create: "A wallet that pays becomes a customer automatically.",
      delete: "The customer's payments remain, but no longer have a customer.",
    },
  }),
  downloads("GET /customers/export", {
    id: "exportCustomers",
    summary: "Download all customers",
    query: shapes.CustomerExportQuery,
    answer: listOf(shapes.Customer),
    items: ({ payments, caller }, created) => payments.customers.export(caller.org, created),
    columns: [
      "id",
      "wallet_address",
      "name",
      "email",
      "transaction_count",
      "total_paid",
      "total_paid_usd",
      "first_payment_at",
      "last_payment_at",
      "created_at",
      "updated_at",
    ],
  }),
  lists("GET /customers/:id/transactions", {
    id: "listCustomerTransactions",
    summary: "List the transactions of a customer",
    params: IdParams,
    query: CustomerTransactionListQuery,
    answer: TransactionList,
    run({ payments, caller, params, query }) {
      payments.customers.find(caller.org, params.id);
      return payments.transactions.list(caller.org, { ...query, customer_id: params.id });
    },
  }),
]);
