import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONFIG } from "../../src/config/description.ts";
import { LIVE_FIELDS } from "../../src/config/live.ts";
import { serveCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { clientOf, type Json } from "../support/sandbox.ts";

async function startConfigured(file: string, text: string, ...flags: string[]) {
  const cwd = folderOf({ [file]: text });
  const { cli, url } = await serveCli(["--paused", "--seed", "empty", ...flags], { cwd });
  const client = clientOf(url);
  /** The virtual minutes until the retry of a payment's failed delivery. */
  async function readRetryDelay(): Promise<string> {
    const hook = await client.createWebhook(`${url}/_sandbox/inbox/shop`, { events: ["payment.completed"] });
    await client.control("PUT", `/webhooks/${hook.id}/fault`, { status: 503 });
    const { deliveries } = await client.pay({ payment_link_id: (await client.createLink()).id });
    await client.api("DELETE", `/webhooks/${hook.id}`);
    return deliveries[0].next_attempt_at;
  }
  return { cli, client, readRetryDelay, path: join(cwd, file) };
}

describe("a configuration that changes while the sandbox runs", () => {
  it("is read again, and says what is in effect and what needs a restart", async () => {
    const { cli, readRetryDelay, path } = await startConfigured("sandbox.config.json", "{}");
    expect(await readRetryDelay()).toBe("2026-01-15T09:01:00.000Z");
    writeFileSync(
      path,
      '{"webhooks": {"retryDelays": ["7m"], "headerPrefix": "X-Other-"}, "host": "localhost"}',
    );
    await cli.saw(/sandbox\.config\.json was read again\. In effect now: webhooks\.retryDelays\.\n/);
    await cli.saw(/sandbox\.config\.json: restart the sandbox to apply host, webhooks\.headerPrefix\.\n/);
    expect(await readRetryDelay()).toBe("2026-01-15T09:07:00.000Z");
  });

  it("may be a module that an editor replaces; flags still win, and a mistake changes nothing", async () => {
    const { cli, readRetryDelay, path } = await startConfigured(
      "sandbox.config.mjs",
      "export default { payments: { rateLimit: 7 } };\n",
      "--rate-limit",
      "off",
    );
    writeFileSync(path, "export default { webhooks: { retryDelays: 5 } };\n");
    await cli.saw(/sandbox\.config\.mjs.*webhooks\.retryDelays[\s\S]*Nothing was changed\./);
    expect(await readRetryDelay()).toBe("2026-01-15T09:01:00.000Z");
    writeFileSync(
      `${path}.tmp`,
      'export default { payments: { rateLimit: 9 }, webhooks: { retryDelays: ["3m"] } };\n',
    );
    renameSync(`${path}.tmp`, path);
    await cli.saw(/was read again\. In effect now: webhooks\.retryDelays\.\n/);
    expect(await readRetryDelay()).toBe("2026-01-15T09:03:00.000Z");
    cli.kill("SIGINT");
    expect((await cli.ended).code).toBe(0);
  });

  it("names the fields that changed, and no others that depend on them", async () => {
    const { cli, path } = await startConfigured("sandbox.config.json", "{}");
    const read = async (text: string, names: string) => {
      writeFileSync(path, text);
      await cli.saw(new RegExp(`: restart the sandbox to apply ${names}\\.\n`));
    };
    await read('{"game": {"requireSignature": true}}', "game\\.requireSignature");
    await read(
      '{"port": 4401, "seed": "tuesday", "clock": {"rate": 60}, "share": true}',
      "share, clock\\.rate",
    );
    await read('{"from": "./fixtures", "startAt": "2026-02-01T09:00:00Z"}', "startAt, from");
  });

  it("lets deliveries go where they may from now on", async () => {
    const { cli, client, path } = await startConfigured("sandbox.config.json", "{}");
    const hook = await client.createWebhook("https://shop.invalid/hooks", { events: ["payment.completed"] });
    const link = await client.createLink();
    const attempt = async () => (await client.pay({ payment_link_id: link.id })).deliveries[0].error;
    expect(await attempt()).toBe("blocked_by_network_policy");
    writeFileSync(path, '{"webhooks": {"allowHttpHosts": ["shop.invalid"]}}');
    await cli.saw(/In effect now: webhooks\.allowHttpHosts\./);
    expect(await attempt()).not.toBe("blocked_by_network_policy");
    expect(hook.status).toBe("enabled");
  });

  it("has its rules in effect each time, after a world has used them, too", async () => {
    const withRule = (name: string) =>
      JSON.stringify({ game: { rules: [{ name, when: name, then: [{ item: { name: "Trophy" } }] }] } });
    const { cli, client, path } = await startConfigured("sandbox.config.json", withRule("first"));
    const { token } = (await client.control("POST", "/game/tokens", {})).body;
    const trigger = async (name: string) =>
      (
        await client.call("POST", "/game/launcher/trigger-rules-engine", {
          body: { launcherJwt: token, trigger: name },
        })
      ).body.actions;
    const readNames = async () =>
      (await client.control("GET", "/game/rules")).body.data.map(({ name }: Json) => name);
    expect(await trigger("first")).toEqual(["item"]);
    const apply = async (text: string, times: number) => {
      writeFileSync(path, text);
      await cli.saw(new RegExp(`(?:In effect now: game\\.rules\\.\n[^]*){${times}}`));
    };
    await apply(withRule("second"), 1);
    expect(await trigger("first")).toEqual([]);
    expect(await trigger("second")).toEqual(["item"]);
    await apply(withRule("third"), 2);
    expect(await trigger("third")).toEqual(["item"]);
    expect(await readNames()).toEqual(["third"]);
    await apply('{"game": {"rules": []}}', 3);
    expect(await readNames()).toEqual([]);
  });

  it("has live fields that exist", () => {
    const { properties } = CONFIG;
    for (const name of LIVE_FIELDS) {
      const [section, field] = name.split(".") as [keyof typeof properties, string];
      expect(Object.keys((properties[section] as { properties: object }).properties)).toContain(field);
    }
  });
});
