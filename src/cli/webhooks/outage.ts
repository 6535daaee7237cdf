import { outageText } from "../../timeline/outage.ts";
import { FAILED } from "../exit-codes.ts";
import { type Views, view } from "../operation/view.ts";
import { columns, paint } from "../output.ts";
import { withEndpoint } from "./with-endpoint.ts";

export const views: Views = view("webhooks.outage", {
  read: withEndpoint,
  lines: (outage) => [
    outageText(outage),
    ...columns(
      outage.missing.map(({ delivery_id: id, event, response_code: code, error }) => [
        id,
        event,
        { text: code === null ? String(error) : String(code), color: paint.red },
      ]),
    ),
  ],
  exit: ({ missing }) => (missing.length === 0 ? 0 : FAILED),
});
