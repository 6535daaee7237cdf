import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { folderOf } from "../support/cli.ts";
import { at, endpoint, failedScenario, longTimeline, scenario } from "./reports.ts";

/**
 * Opens a document as a person would after downloading it. Returns the document's requests and the errors that it
 * logged.
 */
export async function open(
  page: Page,
  name: string,
  markup: string,
): Promise<{ asked: string[]; heard: string[] }> {
  const file = join(folderOf({ [`${name}.html`]: markup }), `${name}.html`);
  const asked: string[] = [];
  const heard: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => heard.push(message.text()));
  page.on("pageerror", (error) => heard.push(error.message));
  const address = pathToFileURL(file).href;
  await page.goto(address);
  return { asked: asked.filter((url) => url !== address && !url.startsWith("data:")), heard };
}

export const unfold = (page: Page) =>
  page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })");

export const run = [
  scenario(),
  failedScenario(),
  scenario({
    name: "disable-and-enable",
    title: "Disable and re-enable",
    ended_at: at(3 * 24 * 60 + 2),
    endpoints: [endpoint({ timeline: longTimeline() }), endpoint({ url: "https://quiet.example/hooks" })],
    mail: [{ to: "owner@example.com", subject: "Webhook endpoint disabled", created_at: at(96.5) }],
  }),
];
