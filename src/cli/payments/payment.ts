import type { Client, ResultOf } from "../../client/http.ts";
import { attemptName, skipText } from "../../timeline/attempt.ts";
import { instant } from "../../timeline/instant.ts";
import { amountText, paymentResult } from "../operation/amounts.ts";
import { LAST, newest } from "../operation/find-named.ts";
import { view } from "../operation/view.ts";
import { type Cell, columns, fields, paint } from "../output.ts";
import { deliveryOutcome } from "../webhooks/deliveries.ts";

type FollowedPayment = ResultOf<"payments.follow">;
type Payment = FollowedPayment["payments"][number];
type Endpoint = FollowedPayment["events"][number]["endpoints"][number];

const PAYMENT_ENTRIES = "payment.pending,payment.confirming,payment.completed,payment.failed";

export const views = view("payments.follow", {
  read: async ({ id }, { sandbox }) => ({ id: id === LAST ? await latestId(sandbox) : id }),
  lines: (followed) => paymentLines(followed),
});

/** @throws SandboxError `not_found` */
async function latestId(sandbox: Client): Promise<string> {
  const { data } = await sandbox.run("events", { types: PAYMENT_ENTRIES, order: "desc", limit: 1 });
  const wayOut = "Trigger one: npx sandglass pay <link>. Earlier sessions: npx sandglass sessions";
  return String(newest(data, "No payment has been made since the world began.", wayOut).data.id);
}

function paymentLines({ session, payments, events }: FollowedPayment): string[] {
  const head = fields([
    ...(session
      ? [
          [
            "session",
            session.status,
            session.id,
            { text: instant(session.created_at), color: paint.dim },
          ] as const,
        ]
      : []),
    ...payments.map(paymentRow),
  ]);
  if (events.length === 0) return [...head, "", paint.dim(noEventsText(payments))];
  const parts = events.flatMap(({ id, type, created_at: at, endpoints }) => [
    "",
    `${paint.dim(instant(at))}  ${paint.bold(type)}  ${id}`,
    ...endpoints.flatMap(endpointLines),
  ]);
  return [...head, ...parts];
}

/** An event is stored only if an endpoint subscribes to it. */
const noEventsText = (payments: readonly Payment[]): string =>
  payments.some(({ status }) => status === "completed" || status === "failed")
    ? "No webhook was sent: no endpoint subscribed to these events."
    : "No events so far.";

function paymentRow(payment: Payment): [name: string, ...cells: Cell[]] {
  const at = { text: instant(payment.created_at), color: paint.dim };
  return ["payment", paymentResult(payment), payment.id, at, amountText(payment)];
}

const endpointLines = (endpoint: Endpoint): string[] => [
  ...columns([[endpoint.url, stateCell(endpoint)]], "  "),
  ...columns(endpoint.deliveries.map(attemptCells), "    "),
];

function stateCell({ state, reason, next_attempt_at: next, deliveries }: Endpoint): Cell {
  if (state === "delivered") return { text: "delivered", color: paint.green };
  if (state === "skipped")
    return { text: reason === null ? "skipped" : `skipped: ${skipText(reason)}`, color: paint.yellow };
  if (state === "exhausted") return { text: "not delivered: all attempts failed", color: paint.red };
  return {
    text:
      next === null
        ? "waiting for a response"
        : `${deliveries.length === 0 ? "first" : "next"} attempt ${instant(next)}`,
    color: paint.yellow,
  };
}

const attemptCells = (attempt: Endpoint["deliveries"][number]): Cell[] => [
  { text: instant(attempt.started_at), color: paint.dim },
  `attempt ${attemptName(attempt.attempt, attempt.trigger)}`,
  deliveryOutcome(attempt),
  { text: attempt.delivery_id, color: paint.dim },
];
