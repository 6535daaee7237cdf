import type { ResultOf } from "../../client/http.ts";
import { notFound } from "../../errors/errors.ts";
import { instant } from "../../timeline/instant.ts";
import { plainLines } from "../../timeline/text.ts";
import { findNamed } from "../operation/find-named.ts";
import { view } from "../operation/view.ts";
import { columns, fields, paint } from "../output.ts";

type Mail = ResultOf<"mail">["data"][number];

export const views = view("mail", {
  pick({ data }, { given: { mail } }): Mail | { data: Mail[] } {
    if (mail === undefined) return { data };
    if (data.length > 0) return findNamed(data, mail, "id", "e-mail", "mail");
    throw notFound(
      "No e-mail has been sent yet.",
      "An e-mail is sent when an endpoint is disabled: npx sandglass advance --until webhook.disabled",
    );
  },
  lines: (shown) => ("data" in shown ? listLines(shown.data) : mailLines(shown)),
});

function listLines(list: readonly Mail[]): string[] {
  if (list.length === 0) return ["No e-mails. One is sent when an endpoint is disabled."];
  return columns(
    list.map(({ id, to, subject, created_at: at }) => [
      { text: instant(at), color: paint.dim },
      id,
      `to ${to}`,
      subject,
    ]),
  );
}

const mailLines = ({ to, subject, text, created_at: at }: Mail): string[] => [
  ...fields([
    ["to", to],
    ["sent", `${instant(at)} UTC`],
    ["subject", subject],
  ]),
  "",
  ...plainLines(text),
];
