import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { expectMisuse, runCli } from "../support/cli.ts";
import { startRawSubscriber } from "../support/raw-subscriber.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

/** Runs `sandglass webhooks …` against a sandbox. */
const webhooks = (sandbox: TestSandbox, ...args: string[]) =>
  runCli(["webhooks", ...args], { env: { SANDGLASS_URL: sandbox.url } });

/** Registers endpoints at built-in inboxes with these names, one second apart. */
async function registerInboxes(sandbox: TestSandbox, ...names: string[]): Promise<Json[]> {
  const endpoints: Json[] = [];
  for (const name of names) {
    const url = `${sandbox.url}/_sandbox/inbox/${name}`;
    endpoints.push((await sandbox.control("POST", "/webhooks", { url, events: ["payment.completed"] })).body);
    await sandbox.advance("1s");
  }
  return endpoints;
}

const faultOf = async (sandbox: TestSandbox, { id }: Json) =>
  (await sandbox.control("GET", `/webhooks/${id}/fault`)).body.spec;

describe("sandglass webhooks", () => {
  it("the webhooks command makes a subscriber fail, restores it and enables its endpoint", async () => {
    const sandbox = await startSandbox();
    const [shop] = (await registerInboxes(sandbox, "shop")) as [Json];
    const failed = await webhooks(sandbox, "fail", "shop", "503");
    expect(failed).toMatchObject({ code: 0, stderr: "" });
    expect(failed.stdout).toBe(
      `endpoint  ${shop.id}, ${shop.url}\nfails     503 until: npx sandglass webhooks work shop\n`,
    );
    const link = await sandbox.createLink();
    for (let payment = 0; payment < 10; payment += 1) await sandbox.pay({ payment_link_id: link.id });
    const [attempt] = await sandbox.deliveries(shop.id);
    expect(attempt).toMatchObject({ status: "failed", response_code: 503 });
    const listed = (await webhooks(sandbox, "list")).stdout;
    expect(listed).toBe(
      `${shop.id}  disabled  10/10 failures  Northlight Coffee Roasters  ${shop.url}  payment.completed  fails: 503\n`,
    );

    expect((await webhooks(sandbox, "work", "shop")).stdout).toMatch(
      /^works +its own responses count again$/m,
    );
    expect(await faultOf(sandbox, shop)).toBeNull();
    expect((await webhooks(sandbox, "enable", shop.id)).stdout).toMatch(/^status +enabled$/m);
    await sandbox.pay({ payment_link_id: link.id });
    const latest = (await sandbox.deliveries(shop.id)).at(-1);
    expect(latest).toMatchObject({ status: "success", response_code: 200 });
  });

  it.each<[answer: string[], spec: Json]>([
    [[], { kind: "status", status: 500 }],
    [["503"], { kind: "status", status: 503 }],
    [["timeout"], { kind: "timeout" }],
    [["slow_body", "--times", "2"], { kind: "slow_body", times: 2 }],
  ])(
    "webhooks fail last with the arguments %j sets the fault of the newest endpoint",
    async (answer, spec) => {
      const sandbox = await startSandbox();
      const [, newest] = (await registerInboxes(sandbox, "first", "second")) as [Json, Json];
      const { stdout } = await webhooks(sandbox, "fail", "last", ...answer, "--json");
      expect(JSON.parse(stdout)).toMatchObject({ target: `webhook:${newest.id}`, spec });
      expect(await faultOf(sandbox, newest)).toEqual(spec);
    },
  );

  it("the webhooks command prefers a full URL to a partial match", async () => {
    const sandbox = await startSandbox();
    const [short, long] = (await registerInboxes(sandbox, "shop", "shop-two")) as [Json, Json];
    for (const [name, expected] of [
      [short.url, short],
      ["shop-two", long],
      [long.id, long],
    ] as [string, Json][]) {
      const { stdout } = await webhooks(sandbox, "fail", name, "503", "--json");
      expect(JSON.parse(stdout).target).toBe(`webhook:${expected.id}`);
    }
    const several = await webhooks(sandbox, "work", "inbox/shop");
    expectMisuse(several, /2 webhook endpoints match 'inbox\/shop'/);
    expect(several.stderr).toContain(
      `Use the id of one: ${short.id} (${short.url}), ${long.id} (${long.url})`,
    );
  });

  it("the webhooks command rejects unknown endpoints and unknown faults", async () => {
    const sandbox = await startSandbox();
    const none = await webhooks(sandbox, "fail", "last", "503");
    expectMisuse(none, /There are no webhook endpoints/);
    expect(none.stderr).toContain("sandglass listen --forward-to");
    expect((await webhooks(sandbox, "list")).stdout).toMatch(/^No webhook endpoints\./);
    await registerInboxes(sandbox, "shop");
    const unknown = await webhooks(sandbox, "work", "kiosk");
    expectMisuse(unknown, /No webhook endpoint matches 'kiosk'/);
    expect(unknown.stderr).toContain("sandglass webhooks list");
    expectMisuse(await webhooks(sandbox, "fail", "shop", "tired"), /one of timeout, .*, not 'tired'/);
    expectMisuse(await webhooks(sandbox, "fail", "shop", "99"), /99/);
  });

  it("webhooks --json prints only JSON", async () => {
    const sandbox = await startSandbox();
    const [shop] = await registerInboxes(sandbox, "shop");
    const { created, ...listed } = shop!;
    expect(created).toBe(true);
    expect(JSON.parse((await webhooks(sandbox, "list", "--json")).stdout)).toEqual({ data: [listed] });
    await sandbox.control("POST", `/webhooks/${shop!.id}/disable`);
    const { stdout } = await webhooks(sandbox, "enable", "last", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ id: shop!.id, status: "enabled" });
  });
});

describe("sandglass listen without a server of your own", () => {
  it("listen without --forward-to registers a built-in inbox and says how to enable a disabled endpoint", async () => {
    const sandbox = await startSandbox();
    const cli = startCli(["listen", "--events", "payment.completed"], {
      env: { SANDGLASS_URL: sandbox.url },
    });
    await cli.saw(new RegExp(`^sends +payment\\.completed to ${sandbox.url}/_sandbox/inbox/listen$`, "m"));
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    await cli.saw(/delivery\.succeeded +payment\.completed, attempt 1 +status 200$/m);
    await webhooks(sandbox, "fail", "last", "503");
    for (let payment = 0; payment < 10; payment += 1) await sandbox.pay({ payment_link_id: link.id });
    const [, id] = await cli.saw(/^Enable it: npx sandglass webhooks enable (wh_\w+) --url http:\S+$/m);
    expect(JSON.parse((await webhooks(sandbox, "list", "--json")).stdout).data[0].id).toBe(id);
    await webhooks(sandbox, "retry", "last");
    await cli.saw(/delivery\.failed +payment\.completed, attempt \d, by hand +status 503/);
  });
});

describe("deliveries on the command line", () => {
  async function startStory() {
    const sandbox = await startSandbox();
    const [shop] = (await registerInboxes(sandbox, "shop")) as [Json];
    const link = await sandbox.createLink();
    const pay = async (): Promise<Json> => (await sandbox.pay({ payment_link_id: link.id })).deliveries[0];
    return { sandbox, shop, pay };
  }
  const resend = (sandbox: TestSandbox, ...args: string[]) =>
    runCli(["resend", ...args], { env: { SANDGLASS_URL: sandbox.url } });

  it("webhooks resend accepts a delivery, an event or last", async () => {
    const { sandbox, shop, pay } = await startStory();
    const nothing = await resend(sandbox, "last");
    expectMisuse(nothing, /No delivery succeeded\./);
    const { id, event_id: eventId } = await pay();
    for (const name of [id, eventId, "last"]) {
      const { code, stdout } = await resend(sandbox, name);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^del_\w+ +payment\.completed +to +\S+inbox\/shop +delivered, 200 in \d/);
    }
    const { data } = JSON.parse((await resend(sandbox, eventId, "--endpoint", "shop", "--json")).stdout);
    expect(data).toMatchObject([{ resend_of: id, webhook_id: shop.id }]);
    await webhooks(sandbox, "fail", "shop", "503");
    expect((await resend(sandbox, id)).code).toBe(1);
    expectMisuse(await resend(sandbox, "evt_none"), /There is no event evt_none/);
  });

  it("webhooks retry last retries the last failure, no matter how many deliveries have succeeded since", async () => {
    const { sandbox, pay } = await startStory();
    await webhooks(sandbox, "fail", "shop", "503");
    await pay();
    await webhooks(sandbox, "work", "shop");
    for (let more = 0; more < 110; more += 1) await pay();
    const { code, stdout } = await webhooks(sandbox, "retry", "last");
    expect(code).toBe(0);
    expect(stdout).toMatch(/delivered, 200/);
  });

  it("webhooks retry accepts a delivery id, or all failures with --failed", async () => {
    const { sandbox, pay } = await startStory();
    await webhooks(sandbox, "fail", "shop", "503");
    await pay();
    await pay();
    expect((await webhooks(sandbox, "retry", "last")).code).toBe(1);
    await webhooks(sandbox, "work", "shop");
    const { code, stdout } = await webhooks(sandbox, "retry", "--failed", "--since", "2h");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^2 retries of deliveries that failed since 2026-01-15 07:00:01 UTC: 2 delivered$/m,
    );
    const nothing = /^Nothing to retry: .* was deleted\.( To go back further, add --since 7d\.)?\n$/;
    const failed = await webhooks(sandbox, "retry", "--failed", "shop");
    expect(nothing.exec(failed.stdout)?.[1]).toBeDefined();
    const chosen = await webhooks(sandbox, "retry", "--failed", "shop", "--since", "2d");
    expect(nothing.exec(chosen.stdout)?.[1]).toBe(undefined);
    expectMisuse(
      await webhooks(sandbox, "retry", "last"),
      /None of the 3 deliveries that failed can be retried: 3 have events that arrived later\./,
    );
    expectMisuse(await webhooks(sandbox, "retry", "last", "--failed"), /'last' could be a delivery or an/);
    expectMisuse(await webhooks(sandbox, "retry"), /webhooks retry needs a delivery/);
    expectMisuse(await webhooks(sandbox, "retry", "--since", "2h"), /--since requires --failed/);
    const delivered = (
      await sandbox.deliveries((await sandbox.control("GET", "/webhooks")).body.data[0].id)
    ).at(-1)!;
    const succeeded = await webhooks(sandbox, "retry", delivered.id);
    expectMisuse(succeeded, /succeeded, so there is nothing to retry/);
    expect(succeeded.stderr).toContain(`sandglass resend ${delivered.id}`);
    await webhooks(sandbox, "fail", "shop", "503");
    await pay();
    await webhooks(sandbox, "delete", "shop");
    expectMisuse(
      await webhooks(sandbox, "retry", "last"),
      /None of the 4 deliveries that failed can be retried: 4 went to deleted endpoints\./,
    );
  });

  it("webhooks retry last gives the real reason if nothing can be retried", async () => {
    const sandbox = await startSandbox({ seed: "empty" });
    const [shop] = (await registerInboxes(sandbox, "shop?a=1&b=2")) as [Json];
    expectMisuse(await webhooks(sandbox, "retry", "last"), /No delivery failed\./);
    expectMisuse(await resend(sandbox, "last"), /No delivery succeeded\./);
    const failed = await webhooks(sandbox, "fail", "a=1&b=2", "503");
    expect(failed.stdout).toMatch(/until: npx sandglass webhooks work 'a=1&b=2'$/m);
    await webhooks(sandbox, "test", shop.id);
    const refused = await webhooks(sandbox, "retry", "last");
    expectMisuse(refused, /The only delivery that failed cannot be retried: it is a test\./);
    expect(refused.stderr).toContain("sandglass webhooks test <endpoint>");
  });

  it("webhooks timeline draws the deliveries above a table of ids", async () => {
    const { sandbox, pay } = await startStory();
    await webhooks(sandbox, "fail", "shop", "503,timeout");
    const { id } = await pay();
    await sandbox.advance("2m");
    const { stdout } = await webhooks(sandbox, "timeline", "shop");
    expect(stdout).toMatch(/^Virtual time +15 Jan 09:00/m);
    expect(stdout).toMatch(/^Failures 2\/10 /m);
    expect(stdout).toMatch(/^ +\[503\]─+\[T\/O\]─+┄+<3>/m);
    expect(stdout).toMatch(new RegExp(`payment.completed +1 +failed with 503 +1/10 .*${id}$`, "m"));
    expect(stdout).not.toContain("\u001b");
  });

  it("webhooks timeline, test and pay report the HTTP rule that a response violated", async () => {
    const sandbox = await startSandbox();
    const length = "Content-Length: 2\r\n";
    const { url } = await startRawSubscriber(`HTTP/1.1 200 OK\r\n${length}${length}\r\nok`, { tls: false });
    await sandbox.createWebhook(url, { events: ["payment.completed"] });
    const link = await sandbox.createLink();
    const { stdout: paid } = await runCli(["pay", link.id], { env: { SANDGLASS_URL: sandbox.url } });
    const why = "Responded with invalid HTTP (Duplicate Content-Length).";
    expect(paid.split("\n")).toContain(`${url}: ${why}`);
    expect((await webhooks(sandbox, "timeline", "last")).stdout.split("\n")).toContain(`${url}: ${why}`);
    expect((await webhooks(sandbox, "test", "last")).stdout).toContain(`why       ${why}\n`);
  });

  it("webhooks timeline lists entries with the same time in journal order", async () => {
    const { sandbox, pay } = await startStory();
    await webhooks(sandbox, "fail", "shop", "503");
    for (let payment = 0; payment < 10; payment += 1) await pay();
    await webhooks(sandbox, "enable", "shop");
    await webhooks(sandbox, "work", "shop");
    await webhooks(sandbox, "retry", "last");
    const { stdout } = await webhooks(sandbox, "timeline", "shop");
    const rows = stdout
      .split("\n")
      .flatMap((line) => line.match(/9\/10|10\/10|Endpoint|E-mail|by hand +succeeded/) ?? []);
    expect(rows).toEqual([
      "Endpoint",
      "9/10",
      "10/10",
      "Endpoint",
      "E-mail",
      "Endpoint",
      "by hand  succeeded",
    ]);
  });
});

describe("endpoints on the command line", () => {
  it("the webhooks command creates, tests, disables and deletes an endpoint", async () => {
    const sandbox = await startSandbox();
    const url = `${sandbox.url}/_sandbox/inbox/new`;
    const made = await webhooks(
      sandbox,
      "create",
      url,
      "--events",
      "payment.completed",
      "--secret",
      "whsec_own",
    );
    expect(made.stdout).toMatch(/^events +payment\.completed\nsecret +whsec_own$/m);
    const tested = await webhooks(sandbox, "test", "new");
    expect(tested).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^test +delivered, 200.*\ndelivery +del_/m),
    });
    expect((await webhooks(sandbox, "disable", "new")).stdout).toMatch(/^status +disabled$/m);
    expect((await webhooks(sandbox, "delete", "new")).stdout).toMatch(/^Deleted wh_/);
    expect((await webhooks(sandbox)).stdout).toMatch(/^No webhook endpoints/);
    expectMisuse(await webhooks(sandbox, "create"), /webhooks create needs a url: your server/);
  });

  it("the webhooks command suggests the nearest match for a misspelled name", async () => {
    const sandbox = await startSandbox();
    await registerInboxes(sandbox, "shop");
    const { stderr } = await webhooks(sandbox, "fail", "lasst");
    expect(stderr).toContain("Did you mean: last");
    expect((await webhooks(sandbox, "fial", "last")).stderr).toContain("sandglass webhooks fail");
    expectMisuse(
      await webhooks(sandbox, "fail", "last", "503", "--rate", "2"),
      /--rate must be .*from 0 to 1, not 2/,
    );
  });
});
