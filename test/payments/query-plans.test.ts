import { expect, onTestFinished, test } from "vitest";
import { paymentsArea } from "../../src/payments/area.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { loadSqlite } from "../../src/world/sqlite.ts";
import { REQUESTS } from "../support/growing-requests.ts";
import { fillHistory } from "../support/history.ts";
import { startSandbox } from "../support/sandbox.ts";

/**
 * With at least this many payments, a filter that matches all of them uses a different query plan than one that matches
 * few.
 */
const PAYMENTS = 510;

const HISTORY =
  "transactions|checkout_sessions|customers|webhook_events|webhook_plans|webhook_deliveries|journal";
const NAMES_HISTORY = new RegExp(`\\b(?:${HISTORY})\\b`);
/** A scan in the table's own order, which a limit ends early. */
const FIRST_IN_ORDER = /from journal order by seq(?: desc)? limit/;
const SCANS = new RegExp(`^SCAN (?:${HISTORY})$`);
/** For an organization, an endpoint or a link, an index may find the whole history. */
const FINDS_MANY = /^SEARCH \w+ USING .*\((?:org|webhook_id|payment_link_id)=\?/;

/** Whether a statement reads a whole table, or sorts what may be a whole table before taking part of it. */
function readsHistory(text: string, steps: readonly string[]): boolean {
  if (steps.some((step) => SCANS.test(step)) && !FIRST_IN_ORDER.test(text)) return true;
  // A plus in the SQL of a list means that there are only a few rows to sort. If a subquery has a limit, there are also
  // only a few.
  if (text.includes("order by +") || steps.some((step) => step.startsWith("CO-ROUTINE"))) return false;
  return steps.includes("USE TEMP B-TREE FOR ORDER BY") && steps.some((step) => FINDS_MANY.test(step));
}

/** Collects the text of every statement that is prepared until the test ends. */
function recordStatements(): Set<string> {
  const texts = new Set<string>();
  const { prototype } = loadSqlite();
  const { prepare } = prototype;
  prototype.prepare = function (this: typeof prototype, text: string) {
    texts.add(text);
    return prepare.call(this, text);
  } as typeof prepare;
  onTestFinished(() => {
    prototype.prepare = prepare;
  });
  return texts;
}

test("no request scans or sorts a whole table to return one page", async () => {
  const { url, sandbox } = await startSandbox();
  const history = await fillHistory(sandbox, url, PAYMENTS);
  // Call this before recording, because the first call of the analytics adds up all payments.
  const { analytics, organizations } = sandbox.part(paymentsArea);
  analytics.overview(organizations.main().id, "all");
  const texts = recordStatements();
  const wrong: string[] = [];
  for (const { name, method = "GET", path, body, grows } of REQUESTS) {
    if (grows === "history") continue;
    texts.clear();
    const content = typeof body === "function" ? body(history) : body;
    const response = await fetch(url + (typeof path === "string" ? path : path(history)), {
      method,
      headers: { authorization: `Bearer ${SEEDED_KEYS.write}`, "content-type": "application/json" },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    });
    expect(response.status, `${name}: ${await response.text()}`).toBeLessThan(300);
    for (const text of texts) {
      if (!NAMES_HISTORY.test(text) || !/^\s*(?:select|with|update|delete)/.test(text)) continue;
      const values = text
        .split("?")
        .slice(1)
        .map(() => null);
      const steps = sandbox.world.store.sql<{ detail: string }>(`explain query plan ${text}`).all(...values);
      const details = steps.map(({ detail }) => detail);
      if (readsHistory(text, details)) wrong.push(`${name}: ${text}\n  ${details.join("\n  ")}`);
    }
  }
  expect(wrong.join("\n\n")).toBe("");
});
