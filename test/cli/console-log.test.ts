import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { clientOf, type Json } from "../support/sandbox.ts";

/** Starts `sandglass` as a user would, and waits until it serves. */
async function startLogged(...flags: string[]) {
  const cli = startCli(["--port", "0", "--paused", "--seed", "empty", ...flags]);
  const [, url] = await cli.saw(/(http:\/\/[\d.:]+)/);
  const client = clientOf(url!);
  /** Makes one payment, delivered to a new inbox. */
  async function pay(fault?: Json): Promise<void> {
    const hook = await client.createWebhook(`${url}/_sandbox/inbox/shop`, { events: ["payment.completed"] });
    if (fault) await client.control("PUT", `/webhooks/${hook.id}/fault`, fault);
    await client.pay({ payment_link_id: (await client.createLink()).id });
  }
  return { cli, url: url!, client, pay };
}

const log = (text: string): string[] =>
  text.split("\n").filter((line) => /^2026-\S+ \S+ {2}(in|out) /.test(line));

/** On a busy machine, a delivery may take seconds or even minutes. */
const withoutDuration = (line: string): string => line.replace(/( \d{3}) in \d[^,]*$/, "$1");

describe("the console log", () => {
  it("the console log has a line for each incoming call and each outgoing attempt", async () => {
    const { cli, url, pay, client } = await startLogged();
    await pay({ status: 503, times: 1 });
    await client.advance("1m");
    await cli.saw(/in +POST +\/_sandbox\/clock\/advance {2}200 in \d/);
    const lines = log(cli.output.stdout).map(withoutDuration);
    expect(lines).toEqual([
      "2026-01-15 09:00:00  in   POST   /platform/api/v1/webhooks  201",
      expect.stringMatching(/in {3}PUT {4}\/_sandbox\/webhooks\/wh_\w+\/fault {2}200$/),
      "2026-01-15 09:00:00  in   POST   /platform/api/v1/payment-links  201",
      `2026-01-15 09:00:00  out  payment.completed, attempt 1 to ${url}/_sandbox/inbox/shop  status 503, next attempt in 1 min`,
      "2026-01-15 09:00:00  in   POST   /_sandbox/payments  200",
      `2026-01-15 09:01:00  out  payment.completed, attempt 2 to ${url}/_sandbox/inbox/shop  200`,
      "2026-01-15 09:01:00  in   POST   /_sandbox/clock/advance  200",
    ]);
    expect(cli.output.stdout).not.toContain("\u001b");
  });

  it("the console log omits the page's own calls, shows rejected requests and never prints a secret", async () => {
    const { cli, url, client } = await startLogged();
    for (const path of ["/", "/_sandbox/status", "/platform/reference", "/data/openapi.json", "/favicon.ico"])
      await fetch(url + path);
    await fetch(`${url}/platform/api/v1/products`, { headers: { "x-sandbox-unlisted": "1" } });
    await fetch(`${url}/api/v1/products?api_key=sk_secret`);
    await client.api("GET", "/products");
    await cli.saw(/GET +\/platform\/api\/v1\/products {2}200/);
    expect(log(cli.output.stdout).map(withoutDuration)).toEqual([
      "2026-01-15 09:00:00  in   GET    /api/v1/products?api_key=…  404",
      "2026-01-15 09:00:00  in   GET    /platform/api/v1/products  200",
    ]);
    expect(cli.output.stdout).not.toContain("sk_secret");
    await client.control("POST", "/worlds", { name: "mine", seed: "sandglass", clock: { mode: "paused" } });
    await fetch(`${url}/w/mine/_sandbox/payments`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ payment_link_id: "coffee" }),
    });
    await cli.saw(/out +payment\.completed, attempt 1 to \S+ {2}200 in world mine/);
    await cli.saw(/in +POST +\/w\/mine\/_sandbox\/payments {2}200/);
  });

  it.each(["--quiet", "--json"])("the console log is silent with %s", async (flag) => {
    const { cli, pay } = await startLogged(flag);
    await pay();
    cli.kill("SIGINT");
    const { stdout } = await cli.ended;
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  });
});
