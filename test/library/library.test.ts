import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../../src/client/index.ts";
import {
  type CreateSandboxOptions,
  createSandbox,
  keepOnFailure,
  type Sandbox,
  SandboxError,
  verifySignature,
} from "../../src/index.ts";
import { listenForTest } from "../support/listen.ts";

async function shop(sandbox: Sandbox, fault?: Parameters<Sandbox["webhooks"]["fail"]>[1]) {
  const inbox = sandbox.inbox("shop");
  const webhook = await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
  if (fault) await sandbox.webhooks.fail(webhook.id, fault);
  return { inbox, webhook };
}

const DOORS: [string, CreateSandboxOptions][] = [
  ["on a port", {}],
  ["without a port", { port: false }],
];

describe.each(DOORS)("a library sandbox %s", (_where, door) => {
  test("a test can use the library to pay, fail, advance, recover and verify", async () => {
    await using sandbox = await createSandbox(door);
    const { inbox, webhook } = await shop(sandbox, { kind: "status", status: 500, times: 1 });
    const { transaction, deliveries } = await sandbox.payments.pay("coffee", { metadata: { order: "7" } });
    expect(transaction.status).toBe("completed");
    const mine = deliveries.find(({ webhook_id }) => webhook_id === webhook.id);
    expect(mine).toMatchObject({ status: "failed", response_code: 500 });
    expect((await sandbox.clock.preview({ until: "next" })).would_fire).toHaveLength(1);

    const { ledger } = await sandbox.clock.advance("1m");
    expect(ledger.map(({ type }) => type)).toContain("delivery.succeeded");
    const [message] = await inbox.messages();
    expect(verifySignature(message!.body, message!.headers["x-platform-signature"], webhook.secret)).toBe(
      true,
    );
    expect((await sandbox.webhooks.timeline(webhook.id)).attempts).toHaveLength(2);
    const told = await sandbox.events({ types: ["delivery.*"] });
    expect(await sandbox.events({ types: "delivery.*" })).toEqual(told);
    expect(await sandbox.events({ types: "delivery.failed" })).toEqual(
      told.filter(({ type }) => type === "delivery.failed"),
    );
    expect(told.filter(({ data }) => data.webhook_id === webhook.id)).toHaveLength(4);
    expect(await sandbox.clock.now()).toBe("2026-01-15T09:01:00.000Z");
  });

  test("forks, snapshots and additional worlds of a library sandbox are independent", async () => {
    await using sandbox = await createSandbox(door);
    const { webhook } = await shop(sandbox, { kind: "status", status: 503 });
    await sandbox.payments.pay("coffee");
    const moment = await sandbox.snapshot();

    const fork = await sandbox.fork();
    await fork.webhooks.work(webhook.id);
    await fork.clock.advance("3h");
    await sandbox.clock.advance("3h");
    const codes = async (one: Sandbox) =>
      (await one.webhooks.timeline(webhook.id)).attempts.map(({ response_code }) => response_code);
    expect(await codes(fork)).toEqual([503, 200]);
    expect(await codes(sandbox)).toEqual([503, 503, 503, 503]);

    await sandbox.restore(moment);
    expect(await codes(sandbox)).toEqual([503]);
    await sandbox.webhooks.fail(webhook.id, { times: 1 });
    await sandbox.clock.advance("1m");
    expect(await codes(sandbox)).toEqual([503, 500]);
    await sandbox.undo();
    expect(await codes(sandbox)).toEqual([503, 503, 503, 503]);
    const other = await sandbox.open({ seed: "empty", startAt: "2030-01-01T00:00:00Z" });
    expect(await other.clock.now()).toBe("2030-01-01T00:00:00.000Z");
    await other.close();
    await expect(other.clock.now()).rejects.toMatchObject({ code: "not_found" });
  });

  test("createSandbox suggests a free port if the requested one is taken", async () => {
    const hold = async (port: number) => {
      const server = createServer();
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(port, "127.0.0.1", () => resolve());
      });
      return (server.address() as AddressInfo).port;
    };
    const taken = await hold(0);
    await hold(taken + 1).catch(() => "another program has it, which is as good");
    for (const [field, options] of [
      ["port", { port: taken }],
      ["ports.data", { ports: { data: taken } }],
    ] as [string, CreateSandboxOptions][]) {
      const refused = await createSandbox(options).catch((error: SandboxError) => error);
      const { code, message, hint } = refused as SandboxError;
      expect([code, message]).toEqual(["port_taken", `Port ${taken} is taken by another program.`]);
      const advised = new RegExp(`^Use ${field}: (\\d+), which is free, or ${field}: 0 to pick any`).exec(
        hint,
      )?.[1];
      expect(Number(advised)).toBeGreaterThan(taken + 1);
      await hold(Number(advised));
    }
  });

  test("a world can be closed after the one it was forked from", async () => {
    await using sandbox = await createSandbox({ ...door, seed: "empty" });
    const parent = await sandbox.fork("parent");
    const children = [await parent.fork("child"), await parent.open({ name: "other" })];
    await parent.close();
    for (const child of children) {
      await child.close();
      await expect(child.clock.now()).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("retryFailed retries everything that failed in an outage, and resend repeats what was delivered", async () => {
    await using sandbox = await createSandbox({ seed: "empty", ...door });
    const webhook = await sandbox.webhooks.create(sandbox.inbox("shop").url);
    const link = await sandbox.payments.createLink({ name: "Tea", amount: "1" });
    await sandbox.webhooks.fail(webhook.id, { status: 503 });
    await sandbox.payments.pay(link.id);
    await sandbox.webhooks.work(webhook.id);
    const { retried, succeeded, data } = await sandbox.webhooks.retryFailed({
      since: "2h",
      endpoint: webhook.id,
    });
    expect([retried, succeeded]).toEqual([2, 2]);
    const [again] = await sandbox.webhooks.resend(data[0]!.event_id);
    expect(again).toMatchObject({ trigger: "resend", resend_of: data[0]!.id, status: "success" });
    await expect(sandbox.webhooks.resend("evt_none")).rejects.toMatchObject({ code: "not_found" });
  });

  test("the library rejects the same invalid names and origins as HTTP without creating anything", async () => {
    await using sandbox = await createSandbox({ ...door, seed: "empty" });
    const refused: [Promise<unknown>, string][] = [
      [sandbox.open({ name: "a/b" }), "bad_request"],
      [sandbox.open({ name: "" }), "bad_request"],
      [sandbox.open({ name: ".." }), "bad_request"],
      [sandbox.open({ name: "default" }), "conflict"],
      [sandbox.open({ from: "nothing" }), "not_found"],
      [sandbox.open({ startAt: "soon" }), "invalid_time"],
      [sandbox.fork("x".repeat(300)), "bad_request"],
      [sandbox.fork("Träume"), "bad_request"],
      [sandbox.snapshot("../x"), "bad_request"],
      [sandbox.restore("none"), "not_found"],
      [sandbox.restore("a/../b"), "bad_request"],
    ];
    const told = await Promise.all(refused.map(([call]) => call.then(String, (error: unknown) => error)));
    for (const [index, error] of told.entries()) {
      expect(error).toBeInstanceOf(SandboxError);
      expect(error).toMatchObject({ code: refused[index]![1], hint: expect.stringMatching(/./) });
    }
    // The next free name shows that only the default world exists.
    expect((await sandbox.open()).world).toBe("world-1");
  });

  test("a sandbox can be closed twice, and calls after closing are rejected", async () => {
    const sandbox = await createSandbox({ ...door, seed: "empty" });
    const world = await sandbox.open();
    await Promise.all([world.close(), world.close()]);
    await expect(world.clock.now()).rejects.toThrow("There is no world");
    await Promise.all([sandbox.close(), sandbox.close()]);
    await expect(fetch(sandbox.url)).rejects.toThrow();
    await expect(sandbox.clock.now()).rejects.toThrow(SandboxError);
  });
});

test("library calls reject invalid arguments and say what they expect", async () => {
  const sandbox = await createSandbox({ port: false, seed: "empty" });
  const { clock, payments, platform, webhooks } = sandbox;
  // Calls as a program without type checks could make them.
  const any = (value?: unknown) => value as never;
  const refused: [() => unknown, RegExp][] = [
    [() => sandbox.restore(any()), /^restore\(\) expects a snapshot or its name, not undefined/],
    [
      () => sandbox.restore(any(Buffer.from("x"))),
      /^restore\(\) expects a snapshot or its name, not <Buffer 78>/,
    ],
    [() => payments.openSession(any()), /^payments\.openSession\(\) expects a payment link, not undefined/],
    [() => payments.pay("coffee", any("x")), /^payments\.pay\(\) expects its options as an object, not 'x'/],
    [() => sandbox.events(any({ typ: "x" })), /^events\(\): Unknown field: typ. Valid names: types, after/],
    [
      () => webhooks.resend("evt_1", any({ id: "x" })),
      /^webhooks\.resend\(\): Unknown field: id. Valid names: endpoint/,
    ],
    [
      () => webhooks.timeline(any({})),
      /^webhooks\.timeline\(\) expects the id of a webhook endpoint, not {}/,
    ],
    [() => platform.call("GET", "payment-links"), /expects a path that begins with \/, not 'payment-links'/],
    [() => clock.advance({ by: Number.NaN }), /^by is NaN, which JSON cannot represent/],
    [() => platform.call("POST", "/payment-links", { amount: 1n }), /^amount is 1n/],
    [async () => sandbox.inbox(any(5)), /^inbox\(\) expects the name of an inbox, not 5/],
    [() => connect(any(5)), /^connect\(\) expects the URL of a sandbox, not 5/],
    [() => createSandbox(any("empty")), /^createSandbox expects an object of options, not 'empty'/],
    [() => keepOnFailure(sandbox, any(), any()), /^keepOnFailure expects a test's name/],
  ];
  for (const [call, message] of refused) {
    const error = await Promise.resolve(call()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/./),
    });
  }
  await sandbox.close();
  await expect(sandbox.mail()).rejects.toThrow(/was closed before this call/);
});

test("createSandbox rejects an invalid configuration and names the field", async () => {
  await expect(createSandbox({ port: -1 })).rejects.toThrow(/createSandbox: port must be/);
  await expect(createSandbox({ sede: "x" } as never)).rejects.toThrow(/no field sede/);
});

describe("the library over HTTP", () => {
  test("each area is available below its base URL", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    const answer = await fetch(`${sandbox.platform.baseUrl}/api/v1/payment-links`, {
      headers: { authorization: `Bearer ${sandbox.keys.read}` },
    });
    expect(answer.status).toBe(200);
    expect((await fetch(`${sandbox.data.baseUrl}/insights/v1/tokens/lookup?symbol=USDC`)).status).toBe(200);
    await expect(
      sandbox.platform.call("POST", "/payment-links", { name: "Tea" }, sandbox.keys.read),
    ).rejects.toMatchObject({ code: "insufficient_permissions", status: 403 });
    await expect(sandbox.platform.call("POST", "/payment-links", {})).rejects.toMatchObject({
      hint: expect.stringMatching(/npx sandglass openapi platform$/),
    });
  });

  test("the library finds a link by id, short code or URL, even in a world with a prefix", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    for (const world of [sandbox, await sandbox.open({ seed: "empty" })]) {
      const { id, url } = await world.payments.createLink({ name: "Tea", short_code: "teatea", amount: "1" });
      for (const name of [id, "teatea", url]) {
        expect(await world.payments.link(name)).toMatchObject({ id });
        expect(await world.payments.openSession(name)).toMatchObject({ payment_link_id: id });
      }
      for (const name of ["Tea", "teate", "../webhooks"])
        await expect(world.payments.link(name)).rejects.toMatchObject({
          code: "not_found",
          status: 404,
        });
    }
  });

  test("the library can use another organization's links, sessions and payments by id", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    const { payments, platform, keys } = sandbox;
    const body = { name: "Tea", amount: "1" };
    const link = await platform.call<{ id: string }>("POST", "/payment-links", body, keys.other);
    expect(await payments.link(link.id)).toMatchObject(body);
    const { id } = await payments.openSession(link.id);
    const { transaction } = await payments.pay(id);
    expect(await payments.session(id)).toMatchObject({ status: "completed" });
    expect(await payments.transaction(transaction.id)).toMatchObject({ session_id: id });
    await expect(payments.createLink({ ...body, nmae: "Tea" } as never)).rejects.toMatchObject({
      code: "bad_request",
      param: "nmae",
      message: expect.stringContaining("Did you mean name?"),
    });
  });

  test("request() returns an area's response unchanged, whatever its status", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    const { platform, data, game } = sandbox;
    const made = await platform.request("POST", "/payment-links", { body: { name: "Tea", amount: "1" } });
    expect(made).toMatchObject({ status: 201, body: { name: "Tea" } });
    expect(made.headers["x-ratelimit-limit"]).toBe("120");
    const refused = await platform.request("GET", "/payment-links", { key: null });
    expect(refused).toMatchObject({ status: 401, body: { error: { code: "key_missing" } } });
    await expect(platform.request("POST", "/products", { name: "Tea" } as object)).rejects.toMatchObject({
      message: "platform.request has no option name.",
      hint: "Its options: body, key, headers.",
    });
    const found = await data.get("/insights/v1/tokens/lookup?symbol=USDC&chain_id=1");
    expect(found).toMatchObject({ status: 200, headers: { "x-cache": "MISS" } });
    expect((await data.get("/insights/v1/tokens/lookup")).status).toBe(400);
    expect(await game.call("set-state")).toMatchObject({ status: 401, body: { name: "NotAuthenticated" } });
  });

  test("connect() rejects an unknown world", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    for (const name of ["none", "x".repeat(300)])
      await expect(connect(`${sandbox.url}/w/${name}`)).rejects.toMatchObject({ code: "not_found" });
  });

  test("connect() returns the same interface for the default world and others", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    await using world = await sandbox.open({ name: "far" });
    await using far = await connect(world.url);
    const link = await far.platform.call<{ id: string }>("POST", "/payment-links", {
      name: "Far",
      amount: "5",
    });
    await far.clock.advance("1h");
    expect(await world.clock.now()).toBe("2026-01-15T10:00:00.000Z");
    expect((await far.payments.pay(link.id)).transaction.amount).toBe("5");
    expect(Object.keys(far).sort()).toEqual(Object.keys(sandbox).sort());
  });

  test("connect() interprets an address in the same way as the commands", async () => {
    await using sandbox = await createSandbox({ seed: "empty" });
    const address = sandbox.url.replace("http://", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("SANDGLASS_URL", address);
    for (const url of [address, undefined, `${sandbox.url}/`]) {
      await using far = await connect(url);
      expect(far.url).toBe(sandbox.url);
    }
    for (const wrong of ["", "ftp://127.0.0.1", "localhost:70000"])
      await expect(connect(wrong)).rejects.toMatchObject({
        code: "bad_request",
        message: expect.stringMatching(/^The address for connect\(\) must /),
        hint: expect.stringContaining("http://127.0.0.1"),
      });
    vi.stubEnv("SANDGLASS_URL", "ftp://127.0.0.1");
    await expect(connect()).rejects.toThrow(/^SANDGLASS_URL must be an http address/);
  });

  test("connect() reports a missing server, or one that is not Sandglass, as a SandboxError", async () => {
    await expect(connect("http://127.0.0.1:9")).rejects.toThrow(SandboxError);
    const stranger = createServer((_request, response) => response.end("{}"));
    const port = await listenForTest(stranger);
    await expect(connect(`http://127.0.0.1:${port}`)).rejects.toThrow(/not Sandglass/);
  });
});
