import { describe, expect, test } from "vitest";
import { VERIFIERS } from "../senders/verifiers.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { startSubscriber } from "../support/subscriber.ts";

const SECRET = "signature-key-of-square";
const env = { SANDGLASS_WEBHOOK_SECRET: SECRET };

/**
 * Starts a server with one route for payments and one for refunds. Each rejects events that belong to the other, and
 * those signed for another URL.
 */
async function startShop() {
  const handled = new Set<string>();
  const shop = await startSubscriber(async ({ path, headers, body }, response) => {
    const reply = (status: number, text = "") => response.writeHead(status).end(text);
    if (path === "/state") return reply(200, JSON.stringify([...handled].sort()));
    if (path === "/reset") handled.clear();
    if (path === "/reset") return reply(204);
    const signed = { headers: headers as Record<string, string>, body, url: new URL(path, shop.url).href };
    if (!(await VERIFIERS.square!.accepts(signed, SECRET, 0))) return reply(401);
    let event: { type: string; event_id: string };
    try {
      event = JSON.parse(body);
    } catch {
      return reply(400);
    }
    if (path !== `/webhooks/${event.type.split(".")[0]}s`) return reply(422);
    handled.add(event.event_id);
    return reply(200);
  });
  const at = (path: string) => new URL(path, shop.url).href;
  const sent = () =>
    shop.received.flatMap(({ path, body }) =>
      path.startsWith("/webhooks") && body.startsWith("{")
        ? [`${path} ${body.match(/"type":"([a-z_.]+)"/)?.[1]}`]
        : [],
    );
  return { at, sent };
}

const folderWith = (subject: object) => folderOf({ "sandbox.config.json": JSON.stringify({ subject }) });

describe("routes by event type", () => {
  test("check sends each event type to its own address, signed for that address", async () => {
    const { at, sent } = await startShop();
    const url = { "payment.created": at("/webhooks/payments"), "refund.created": at("/webhooks/refunds") };
    const cwd = folderWith({ url, sender: "square" });
    const flags = ["--only", "wrong-signature"];
    const { code, stdout } = await runCli(["check", ...flags], { cwd, env });
    expect(stdout).not.toContain("fail ");
    expect(code).toBe(0);
    const refund = await runCli(["check", "--event", "refund.created", "--only", "wrong-signature"], {
      cwd,
      env,
    });
    expect(refund.code).toBe(0);
    expect([...new Set(sent())].sort()).toEqual([
      "/webhooks/payments payment.created",
      "/webhooks/refunds refund.created",
    ]);
  });

  test("explore sends each event type to its own address, and skips types without one", async () => {
    const { at, sent } = await startShop();
    const url = { "payment.*": at("/webhooks/payments"), "refund.created": at("/webhooks/refunds") };
    const cwd = folderWith({
      ...{ url, sender: "square", state: at("/state"), reset: at("/reset") },
      ...{ deviations: 1, budget: "20s" },
    });
    const { code, stdout, stderr } = await runCli(["explore"], { cwd, env });
    expect({ code, stderr }, stdout).toMatchObject({ code: 0 });
    const types = new Set(sent());
    expect(types).toContain("/webhooks/payments payment.created");
    expect(types).toContain("/webhooks/refunds refund.created");
    expect([...types].filter((one) => !/payments payment\.|refunds refund\./.test(one))).toEqual([]);
  });

  test.each([
    [{ "payment.created": "http://127.0.0.1:1/a", "refund.created": "http://127.0.0.1:2/b" }, "one server"],
    [{ "payment.creatd": "http://127.0.0.1:1/a" }, "payment.creatd"],
  ])("check rejects invalid addresses per event type: %j", async (url, words) => {
    const { code, stderr } = await runCli(["check"], { cwd: folderWith({ url, sender: "square" }), env });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  test("check rejects a listed event type without an address", async () => {
    const url = { "payment.created": "http://127.0.0.1:1/a" };
    const cwd = folderWith({ url, sender: "square" });
    const { code, stderr } = await runCli(["check", "--events", "refund.created"], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain("subject.url has no address for refund.created.");
  });
});
