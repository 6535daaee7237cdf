import { expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();

test("widget statistics count views, interactions and completed payments day by day [fidelity: Shapes of published clients › Widget statistics]", async () => {
  const link = await sandbox.createLink({ name: "Tea <b>" });
  const widget = (await sandbox.api("POST", "/widgets", { body: { name: "Buy", payment_link_id: link.id } }))
    .body;
  const page = new URL(widget.url).pathname;
  const visit = () => sandbox.call("GET", page);
  const open = async () => {
    const answer = await sandbox.call("GET", `${page}/checkout?client_reference_id=order_1`);
    expect(answer.status).toBe(303);
    return answer.headers.get("location")!.split("/").at(-1)!;
  };
  const shown = await visit();
  expect(shown.status).toBe(200);
  expect(shown.text).toContain("Tea &lt;b&gt;");
  expect(shown.text).toContain(`${page}/checkout`);
  await visit();
  await sandbox.pay({ session_id: await open() });
  await sandbox.advance("24h");
  await visit();
  await open();
  await sandbox.pay({ payment_link_id: link.id });

  const stats = async (query = "") => (await sandbox.api("GET", `/widgets/${widget.id}/stats${query}`)).body;
  expect(await stats("?days=3")).toEqual({
    object: "widget_stats",
    widget_id: widget.id,
    summary: { total_views: 3, total_interactions: 2, total_completions: 1 },
    daily: [
      { date: "2026-01-14", views: 0, interactions: 0, completions: 0 },
      { date: "2026-01-15", views: 2, interactions: 1, completions: 1 },
      { date: "2026-01-16", views: 1, interactions: 1, completions: 0 },
    ],
  });
  expect((await stats("?days=1")).summary.total_views).toBe(1);
  expect((await stats()).daily).toHaveLength(30);
  expect((await sandbox.api("GET", `/widgets/${widget.id}`)).body.current_views).toBe(3);
  expectError(
    await sandbox.api("GET", `/widgets/${widget.id}/stats`, { key: sandbox.keys.other }),
    "resource_not_found",
  );
});

test("an inactive, unlinked or deleted widget has no page", async () => {
  const { url, id } = (await sandbox.api("POST", "/widgets", { body: { name: "Buy" } })).body;
  const page = new URL(url).pathname;
  const status = async () => (await sandbox.call("GET", page)).status;
  expect(await status()).toBe(410);
  const link = await sandbox.createLink();
  await sandbox.api("PATCH", `/widgets/${id}`, { body: { payment_link_id: link.id } });
  expect(await status()).toBe(200);
  await sandbox.api("PATCH", `/widgets/${id}`, { body: { is_active: false } });
  expect(await status()).toBe(410);
  await sandbox.api("DELETE", `/widgets/${id}`);
  expect(await status()).toBe(404);
});

test("seeded widgets have at least three times as many views as interactions", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const widgets: Json[] = (await sandbox.api("GET", "/widgets?sort=current_views")).body.data;
  expect(widgets.length).toBeGreaterThanOrEqual(8);
  let interactions = 0;
  for (const widget of widgets) {
    const { summary } = (await sandbox.api("GET", `/widgets/${widget.id}/stats?days=365`)).body;
    expect(summary.total_views).toBe(widget.current_views);
    expect(summary.total_views).toBeGreaterThanOrEqual(3 * summary.total_interactions);
    expect(summary.total_interactions).toBeGreaterThanOrEqual(summary.total_completions);
    interactions += summary.total_interactions;
  }
  expect(interactions).toBeGreaterThan(0);
  const counts = widgets.map((widget) => widget.current_views);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});
