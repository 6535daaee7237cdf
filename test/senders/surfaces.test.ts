import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSender } from "../../src/senders/files.ts";
import { HAZARD_NAMES } from "../../src/trial/hazards/index.ts";
import { folderOf, readJsonAt, runAt, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

test("the commands register an endpoint of a sender and send its events", async () => {
  const sandbox = await startSandbox({ settleTimeout: "5s", senders: ["github"] });
  const subscriber = await startSubscriber();
  const made = await readJsonAt(sandbox, "webhooks", "create", subscriber.url, "--sender", "github");
  expect(made).toMatchObject({ sender: "github", created: true });
  const sent = await runAt(sandbox, "send", "push", '{"ref": "refs/heads/next"}');
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("push") });
  expect(JSON.parse(subscriber.received[0]!.body).ref).toBe("refs/heads/next");
  expect(subscriber.received[0]!.headers["x-github-event"]).toBe("push");
  await runAt(sandbox, "send", "push", '{"n": 12345678901234567890, "rate": [1.10, 1e2]}');
  expect(subscriber.received[1]!.body).toContain('"n":12345678901234567890,"rate":[1.10,1e2]');
  const again = await readJsonAt(sandbox, "send", "ping", "--sender", "github");
  expect(again.deliveries).toMatchObject([{ event: "ping", status: "success" }]);
});

test("the commands print the sender of an endpoint, the sent events and the next retry", async () => {
  const sandbox = await startSandbox({ settleTimeout: "5s", senders: ["stripe"] });
  const { url } = await startSubscriber(500);
  const create = (...more: string[]) =>
    runAt(sandbox, "webhooks", "create", url, "--sender", "stripe", ...more);
  const type = "checkout.session.completed";
  expect((await runAt(sandbox, "send", type)).stdout).toContain("webhooks create <url> --sender stripe");
  expect((await create()).stdout).not.toContain("before");
  expect((await create()).stdout).toMatch(/ \(was registered before\)\nsender +stripe\nevents +all events\n/);
  expect(await runAt(sandbox, "send", type)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/failed, status 500.* next attempt \d{4}-\d\d-\d\d [\d:.]{8,12}$/m),
  });
  expect((await runAt(sandbox, "webhooks", "test", "last")).stdout).toMatch(
    /^sent +\S+, an example event: stripe has no test deliveries$/m,
  );
  await runAt(sandbox, "webhooks", "create", "https://shop.example/hook", "--sender", "stripe");
  expect((await runAt(sandbox, "webhooks", "test", "shop.example")).stdout).toMatch(
    /^test +failed, blocked by network policy$\n^why +shop\.example is not on this machine, .* webhooks\.allowHttpHosts/m,
  );
  await runAt(sandbox, "webhooks", "delete", "shop.example");
  expect((await runAt(sandbox, "webhooks", "list")).stdout).toMatch(/ stripe +http:\S+ +all events$/m);
  await runAt(sandbox, "webhooks", "disable", "last");
  expect(await runAt(sandbox, "send", type)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^Nothing was sent to \S+: it is disabled\. Enable it: .* webhooks enable wh_/,
    ),
  });
});

test("sandglass send lists the endpoints that got the event, and any disabled endpoint that did not", async () => {
  const sandbox = await startSandbox({ settleTimeout: "5s" });
  const { url } = await startSubscriber();
  const create = async (more: object) =>
    (await sandbox.control("POST", "/webhooks", { sender: "github", ...more })).body.id;
  await create({ url });
  const id = await create({ url: `${url}/off` });
  await create({ url: `${url}/other`, events: ["ping"] });
  await sandbox.control("POST", `/webhooks/${id}/disable`);
  const { deliveries, disabled } = (await sandbox.control("POST", "/senders/github/events", { type: "push" }))
    .body;
  expect(deliveries).toMatchObject([{ status: "success" }]);
  expect(disabled).toEqual([{ webhook_id: id, url: `${url}/off` }]);
  expect(await runAt(sandbox, "send", "push")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/push .*\nNothing was sent to \S+\/off: it is disabled\. /),
  });
});

test.each([
  [["send", "psuh"], "Did you mean push?"],
  [["send", "push", "[]"], "The data must be a JSON object"],
  [["webhooks", "create", "http://127.0.0.1:1/", "--sender", "githb"], "Did you mean github?"],
])("a command with an invalid sender or event is rejected with a suggested fix: %j", async (args, words) => {
  const sandbox = await startSandbox({ senders: ["github"] });
  const { code, stderr } = await runAt(sandbox, ...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});

test("webhooks lists a sender's endpoint, but not with --organization", async () => {
  const sandbox = await startSandbox({ senders: ["github"] });
  const url = "http://127.0.0.1:1/github";
  await sandbox.control("POST", "/webhooks", { url, sender: "github" });
  expect((await runAt(sandbox, "webhooks")).stdout).toContain(url);
  const { organizations } = (await sandbox.control("GET", "/status")).body;
  const own = await readJsonAt(sandbox, "webhooks", "--organization", organizations[0].name, "--json");
  expect(own.data).toEqual([]);
});

test("init --sender writes a valid sender file without overwriting anything", async () => {
  const cwd = folderOf();
  const init = (...args: string[]) => runCli(["init", "--sender", ...args], { cwd });
  expect((await init("beans")).stdout).toContain("senders/beans.yaml");
  const { name, events, facts } = await readSender("./senders/beans.yaml", cwd);
  expect(facts.headers).toMatchObject({ "X-Beans-Event": "{type}" });
  expect([name, events]).toEqual(["beans", ["order.created", "order.paid"]]);
  expect(facts.assumed).toEqual(["retries.delays"]);
  writeFileSync(join(cwd, "senders/beans.yaml"), "mine");
  expect((await init("beans")).stdout).toMatch(/^exists +senders\/beans\.yaml/);
  expect(readFileSync(join(cwd, "senders/beans.yaml"), "utf8")).toBe("mine");
  expect((await init("../beans")).stderr).toContain("lower-case letters, digits and hyphens");
  expect((await init("stripe")).stdout).toMatch(/^wrote +senders\/stripe\/ +48 files next to it$/m);
  const copy = await readSender("./senders/stripe.yaml", cwd);
  const shipped = await readSender("stripe");
  for (const type of shipped.events) expect(copy.example(type)).toBe(shipped.example(type));
});

test("check, explore and test warn if the project's package has a different major version than the bodies", async () => {
  const cwd = folderOf();
  const write = (version: string) => {
    mkdirSync(join(cwd, "node_modules/stripe"), { recursive: true });
    writeFileSync(join(cwd, "node_modules/stripe/package.json"), JSON.stringify({ version }));
  };
  const url = "http://127.0.0.1:1/";
  const check = () => runCli(["check", url, "--sender", "stripe", "--secret", "whsec_test"], { cwd });
  write("23.9.0");
  expect((await check()).stderr).not.toContain("example bodies");
  write("13.11.0");
  expect((await check()).stderr).toContain(
    "Your stripe is 13.11.0, but stripe's example bodies match stripe 14 to 17, so fields may differ.",
  );
  const where = ["--state", url, "--reset", url, "--secret", "whsec_test"];
  for (const command of ["explore", "test"]) {
    const tried = await runCli([command, url, "--sender", "stripe", ...where], { cwd });
    expect([command, tried.stderr]).toEqual([command, expect.stringContaining("Your stripe is 13.11.0")]);
  }
});

const OPENAPI = `openapi: 3.1.0
info: { title: Beans, version: "2" }
externalDocs: { url: https://beans.example/webhooks }
webhooks:
  orderCreated:
    post:
      parameters: &headers
        - { name: Beans-Signature, in: header, schema: { type: string }, example: "t=1736931600,v1=5257a869e7ec" }
        - { name: Beans-Delivery-Id, in: header, schema: { type: string, format: uuid } }
        - { name: Beans-Version, in: header, schema: { type: string, default: "2" } }
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/OrderCreated" } } } }
  orderPaid:
    post:
      parameters: *headers
      requestBody:
        content:
          application/json:
            examples: { usual: { value: { type: order.paid, created: 1736931600, order: { id: ord_7, status: paid } } } }
components:
  schemas:
    Event:
      type: object
      properties: { type: { type: string }, created: { type: integer } }
    OrderCreated:
      allOf: [{ $ref: "#/components/schemas/Event" }]
      properties: { type: { const: order.created }, order: { $ref: "#/components/schemas/Order" } }
    Order:
      type: object
      required: [id]
      properties:
        id: { type: string }
        status: { enum: [open, paid] }
        email: { type: [string, "null"], format: email }
        replaces: { anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Order" }] }
`;

test("init --from creates a sender from an OpenAPI document, which send, check and explore can use", async () => {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const parameters = names.map((name) => ({ name, in: "header" }));
  const content = { "application/json": { example: { type: "ping" } } };
  const cwd = folderOf({
    "openapi.yaml": OPENAPI,
    "empty.json": '{"openapi":"3.1.0"}',
    "standard.json": JSON.stringify({
      webhooks: { ping: { post: { parameters, requestBody: { content } } } },
    }),
  });
  const cli = (...args: string[]) => runCli(args, { cwd });
  const none = await cli("init", "--sender", "beans", "--from", "empty.json");
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining("empty.json does not describe a webhook"),
  ]);
  expect((await cli("init", "--sender", "beans", "--from", "openapi.yaml")).stderr).toBe("");
  await cli("init", "--sender", "standard", "--from", "standard.json");
  const { headers, signature } = (await readSender("standard-webhooks")).facts;
  const { also: _also, tolerance: _tolerance, ...written } = signature;
  expect((await readSender("./senders/standard.yaml", cwd)).facts).toMatchObject({
    headers,
    signature: written,
  });

  const file = "./senders/beans.yaml";
  const sender = await readSender(file, cwd);
  expect(sender.events).toEqual(["order.created", "order.paid"]);
  expect(sender.facts).toMatchObject({
    documentation: "https://beans.example/webhooks",
    ...{ type: "body.type", id: "header.Beans-Delivery-Id", time: "body.created", unit: "seconds" },
    headers: { "Beans-Delivery-Id": "{id}", "Beans-Version": "2" },
    signature: { header: "Beans-Signature: t={time},v1={signature}", encoding: "hex", over: "{time}.{body}" },
    assumed: expect.arrayContaining(["signature.over", "retries.delays", "timeout", "id"]),
  });
  const made = JSON.parse(readFileSync(join(cwd, "senders/beans/order.created.json"), "utf8"));
  expect(made).toMatchObject({ type: "order.created", created: 1_768_467_600 });
  expect(made.order).toMatchObject({ id: "id_1", status: "open", email: "ada@example.com" });

  const orders: Record<string, string> = {};
  const { url } = await startSubscriber(({ method, path, headers, body }, response) => {
    if (method === "GET") return response.end(JSON.stringify(orders));
    if (path === "/reset") {
      for (const id of Object.keys(orders)) delete orders[id];
      return response.end();
    }
    const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers["beans-signature"])) ?? [];
    const expected = createHmac("sha256", "secret").update(`${time}.${body}`).digest("hex");
    if (signature !== expected) return response.writeHead(401).end();
    const { type, order } = JSON.parse(body);
    if (orders[order.id] !== "paid") orders[order.id] = type === "order.paid" ? "paid" : "open";
    return response.writeHead(204).end();
  });
  const subject = [url, "--sender", file, "--secret", "secret"];
  const [state, reset] = ["/state", "/reset"].map((path) => new URL(path, url).href);
  const skip = HAZARD_NAMES.filter((name) => !/^(?:valid-event|wrong-signature)$/.test(name)).join();
  const [checked, explored] = [
    await cli("check", ...subject, "--skip", skip, "--json"),
    await cli("explore", ...subject, "--state", state!, "--reset", reset!, "--deviations", "1"),
  ];
  expect([checked.code, JSON.parse(checked.stdout).verdict]).toEqual([0, "pass"]);
  expect(explored).toMatchObject({ code: 0, stdout: expect.stringContaining("No difference") });
  const sandbox = await startSandbox({ senders: [join(cwd, file)] });
  await sandbox.control("POST", "/webhooks", { url, sender: "beans", secret: "secret" });
  const sent = await runAt(sandbox, "send", "order.paid", '{"order": {"id": "ord_8"}}');
  expect(sent).toMatchObject({ code: 0, stderr: "" });
  await expect.poll(() => orders.ord_8).toBe("paid");
});
