import type { Customers } from "../customers.ts";
import { IdParams } from "../schemas/common.ts";
import {
  Customer,
  CustomerCreate,
  CustomerDeleted,
  CustomerExportQuery,
  CustomerList,
  CustomerListQuery,
  CustomerUpdate,
} from "../schemas/customers.ts";
import { CustomerTransactionListQuery, TransactionList } from "../schemas/transactions.ts";
import { downloads, fieldColumns } from "./exports.ts";
import { changes, lists, reads } from "./table.ts";

const tag = "Customers";

export const customerRoutes = [
  lists("GET /customers", {
    id: "listCustomers",
    tag,
    summary: "List customers",
    description: "Each wallet that paid, or tried to.",
    query: CustomerListQuery,
    answer: CustomerList,
    run: ({ payments, caller, query }) => payments.customers.list(caller.org, query),
  }),
  changes("POST /customers", {
    id: "createCustomer",
    tag,
    summary: "Create a customer",
    description: "A wallet that pays becomes a customer by itself.",
    body: CustomerCreate,
    answer: Customer,
    status: 201,
    run: ({ payments, caller, body }) => payments.customers.create(caller, body),
  }),
  downloads("GET /customers/export", {
    id: "exportCustomers",
    tag,
    summary: "Download all customers",
    query: CustomerExportQuery,
    answer: CustomerList,
    items: ({ payments, caller }, created) => payments.customers.export(caller.org, created),
    columns: fieldColumns<ReturnType<Customers["get"]>>([
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
    ]),
  }),
  reads("GET /customers/:id", {
    id: "getCustomer",
    tag,
    summary: "Read a customer",
    params: IdParams,
    answer: Customer,
    run: ({ payments, caller, params }) => payments.customers.get(caller.org, params.id),
  }),
  changes("PATCH /customers/:id", {
    id: "updateCustomer",
    tag,
    summary: "Update a customer",
    params: IdParams,
    body: CustomerUpdate,
    answer: Customer,
    run: ({ payments, caller, params, body }) => payments.customers.update(caller, params.id, body),
  }),
  changes("DELETE /customers/:id", {
    id: "deleteCustomer",
    tag,
    summary: "Delete a customer",
    description: "The payments stay, without a customer.",
    params: IdParams,
    answer: CustomerDeleted,
    run: ({ payments, caller, params }) => payments.customers.delete(caller, params.id),
  }),
  lists("GET /customers/:id/transactions", {
    id: "listCustomerTransactions",
    tag,
    summary: "List the transactions of a customer",
    params: IdParams,
    query: CustomerTransactionListQuery,
    answer: TransactionList,
    run({ payments, caller, params, query }) {
      payments.customers.find(caller.org, params.id);
      return payments.transactions.list(caller.org, { ...query, customer_id: params.id });
    },
  }),
];
