import type { App } from "../../http/types.ts";
import type { Customers } from "../customers.ts";
import { listEnvelope } from "../listing.ts";
import { errorResponses, IdParams, NoQuery } from "../schemas/common.ts";
import {
  Customer,
  CustomerDeleted,
  CustomerExportQuery,
  CustomerList,
  CustomerListQuery,
  CustomerUpdate,
} from "../schemas/customers.ts";
import { CustomerTransactionListQuery, TransactionList } from "../schemas/transactions.ts";
import { createdBetween, fieldColumns, sendExport } from "./exports.ts";
import { apiPath, change } from "./support.ts";

const tags = ["Customers"];

const COLUMNS = fieldColumns<ReturnType<Customers["get"]>>([
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
]);

export function customerRoutes(app: App): void {
  app.get(
    "/customers",
    {
      schema: {
        operationId: "listCustomers",
        summary: "List customers",
        description: "Each wallet that paid, or tried to.",
        tags,
        querystring: CustomerListQuery,
        response: { 200: CustomerList, ...errorResponses },
      },
    },
    (request) => {
      const { data, total } = request.payments.customers.list(request.caller.org, request.query);
      return listEnvelope(data, total, request.query, apiPath(request));
    },
  );

  app.get(
    "/customers/export",
    {
      schema: {
        operationId: "exportCustomers",
        summary: "Download all customers",
        description: "As CSV, or as JSON in a list envelope; newest first.",
        tags,
        querystring: CustomerExportQuery,
        produces: ["text/csv"],
        response: { 200: CustomerList, ...errorResponses },
      },
    },
    (request, reply) => {
      const { payments, caller, query } = request;
      return sendExport(request, reply, {
        name: "customers",
        format: query.format,
        items: payments.customers.export(caller.org, createdBetween(query)),
        columns: COLUMNS,
      });
    },
  );

  app.get(
    "/customers/:id",
    {
      schema: {
        operationId: "getCustomer",
        summary: "Read a customer",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Customer, ...errorResponses },
      },
    },
    (request) => request.payments.customers.get(request.caller.org, request.params.id),
  );

  app.patch(
    "/customers/:id",
    {
      schema: {
        operationId: "updateCustomer",
        summary: "Update a customer",
        tags,
        params: IdParams,
        querystring: NoQuery,
        body: CustomerUpdate,
        response: { 200: Customer, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () =>
        request.payments.customers.update(request.caller, request.params.id, request.body),
      ),
  );

  app.delete(
    "/customers/:id",
    {
      schema: {
        operationId: "deleteCustomer",
        summary: "Delete a customer",
        description: "The payments stay, without a customer.",
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: CustomerDeleted, ...errorResponses },
      },
    },
    (request, reply) =>
      change(request, reply, 200, () => request.payments.customers.delete(request.caller, request.params.id)),
  );

  app.get(
    "/customers/:id/transactions",
    {
      schema: {
        operationId: "listCustomerTransactions",
        summary: "List the transactions of a customer",
        tags,
        params: IdParams,
        querystring: CustomerTransactionListQuery,
        response: { 200: TransactionList, ...errorResponses },
      },
    },
    (request) => {
      const { payments, caller, query, params } = request;
      payments.customers.find(caller.org, params.id);
      const { data, total } = payments.transactions.list(caller.org, { ...query, customer_id: params.id });
      return listEnvelope(data, total, query, apiPath(request));
    },
  );
}
