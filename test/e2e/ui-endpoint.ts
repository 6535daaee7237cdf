import type { Answering } from "../support/subscriber.ts";
import type { UiPage } from "../support/ui.ts";

/* Everything that a person does with an endpoint, in one file: its form, what is sent to it, how it fails and recovers. */

/** A handler with a bug, which it reports in its response. */
export const broken: Answering = (_, response) => {
  response.writeHead(500, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: `TypeError: order is undefined, ${"in a long line ".repeat(12)}` }));
};

export const sent = ({ page }: UiPage) => page.getByRole("status", { name: "Sent" });
export const fails = ({ page }: UiPage) => page.getByRole("radio", { name: /^Fails: / });
export const marks = ({ page }: UiPage, kind: string) => page.locator(`.stage .mark.${kind}`);
export const counter = ({ page }: UiPage) => page.locator(".endpoint-head .counter-text");
