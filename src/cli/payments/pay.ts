import type { PayResult } from "../../client/http.ts";
import { misuse } from "../../errors/errors.ts";
import { toDemoEndpoints } from "../advance/summary.ts";
import { amountText, paymentResult } from "../operation/amounts.ts";
import { type Given, view } from "../operation/view.ts";
import { columns, fields, paint } from "../output.ts";
import { deliveryAdvice, deliveryCells } from "../webhooks/deliveries.ts";
import { refusalLines } from "../webhooks/diagnosis.ts";

export const views = view("payments.pay", {
  read({ "link or session": target, fail, ...given }) {
    // In `pay --fail pl_…`, --fail takes the link as its reason.
    const [what, reason] = target === undefined && typeof fail === "string" ? [fail, true] : [target, fail];
    if (what === undefined)
      throw misuse(
        "pay needs a payment link or a checkout session.",
        "For example: npx sandglass pay coffee",
      );
    return {
      ...readTarget(what),
      ...given,
      ...(reason !== undefined && { outcome: "failed" }),
      ...(typeof reason === "string" && { failure_reason: reason }),
    };
  },
  lines: async (result, { sandbox }) => [
    ...resultLines(result),
    ...(await refusalLines(sandbox, own(result))),
  ],
});

/** A session's id, or a link's id, short code or page URL. */
function readTarget(target: string): Given {
  const [path = "", query = ""] = target.split("#")[0]!.split("?");
  const id = path.replace(/\/+$/, "").split("/").at(-1)!;
  if (id.startsWith("cs_")) return { session_id: id };
  // A payment link's page reads these fields from its query, so paying by the page's URL reads them, too.
  const asked = new URLSearchParams(query);
  const reference = asked.get("client_reference_id");
  const metadata = [...asked].flatMap(([name, value]) => {
    const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value]];
  });
  return {
    payment_link_id: id,
    ...(reference !== null && { client_reference_id: reference }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
  };
}

/** The deliveries to endpoints that are not part of the seeded history. */
const own = ({ deliveries }: Pick<PayResult, "deliveries">) => deliveries.filter(({ seeded }) => !seeded);

function resultLines({ transaction, session, deliveries }: PayResult): string[] {
  const { text, color } = paymentResult(transaction);
  const head = fields([
    ["payment", { text: `${text}, ${transaction.id}`, color }],
    ["session", `${session.status}, ${session.id}`],
    ["amount", amountText(transaction)],
  ]);
  if (deliveries.length === 0)
    return [
      ...head,
      paint.dim(
        "No delivery: no enabled webhook endpoint subscribes to this event. See: npx sandglass listen --help",
      ),
    ];
  const sent = (own({ deliveries }).length > 0 ? own({ deliveries }) : deliveries).map(deliveryCells);
  const seeded = deliveries.slice(sent.length);
  return [
    ...head,
    "",
    ...columns(sent),
    ...deliveryAdvice(deliveries),
    ...(seeded.length > 0 ? [seededLine(seeded)] : []),
  ];
}

/** The line with the number of deliveries to seeded endpoints. Listing them would bury the user's own deliveries. */
function seededLine(seeded: PayResult["deliveries"]): string {
  const failed = seeded.filter(({ status }) => status === "failed").length;
  const result = failed === 0 ? "" : `, ${failed} failed`;
  return paint.dim(`${toDemoEndpoints(seeded.length)}${result}`);
}
