import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { type Answering, startSubscriber } from "../support/subscriber.ts";
import { at, startShop } from "../support/webhooks.ts";

/** A server that writes these bytes for each connection once something arrived, and closes it. */
async function startRawServer(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port at which nothing listens any more. */
async function closedPort(): Promise<string> {
  const subscriber = await startSubscriber();
  await subscriber.close();
  return subscriber.url;
}

async function deliverOnce(url: string) {
  const sandbox = await startSandbox();
  const shop = await startShop(sandbox, url);
  await shop.pay();
  await sandbox.advance("30s");
  const [record] = await sandbox.deliveries(shop.webhook.id);
  return { sandbox, shop, record };
}

describe("a real subscriber that fails", () => {
  const answers: [string, Answering, string, number | null][] = [
    ["answers 500", (_r, response) => void response.writeHead(500).end("no"), "status", 500],
    ["answers 404", (_r, response) => void response.writeHead(404).end(), "status", 404],
    ["closes the connection", (_r, response) => void response.socket!.destroy(), "connection_reset", null],
    [
      "ends its answer early",
      (_r, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("ten bytes.", () => response.socket!.destroy());
      },
      "invalid_response",
      200,
    ],
  ];
  test.each(answers)("is recorded if it %s", async (_name, answer, error, code) => {
    const { record, shop } = await deliverOnce((await startSubscriber(answer)).url);
    expect(record).toMatchObject({ status: "failed", error, response_code: code, next_attempt_at: at(60) });
    expect((await shop.state()).consecutive_failures).toBe(1);
  });

  test("is recorded as connection_refused if it does not exist", async () => {
    const { record } = await deliverOnce(await closedPort());
    expect(record).toMatchObject({ status: "failed", error: "connection_refused", response_code: null });
  });

  test("is recorded as invalid_response if it speaks no HTTP", async () => {
    const { record } = await deliverOnce(`http://${await startRawServer("who is there?\r\n\r\n")}/`);
    expect(record).toMatchObject({ status: "failed", error: "invalid_response", response_code: null });
  });

  test("is recorded as tls if it speaks no TLS", async () => {
    const { record } = await deliverOnce(`https://${await startRawServer("HTTP/1.1 200 OK\r\n\r\n")}/`);
    expect(record).toMatchObject({ status: "failed", error: "tls", response_code: null });
  });

  test.each([301, 302, 303, 307, 308])(
    "is not followed to another address by a %d [fidelity: Webhooks › Redirects]",
    async (status) => {
      const target = await startSubscriber(200);
      const subscriber = await startSubscriber(
        (_received, response) => void response.writeHead(status, { location: target.url }).end(),
      );
      const { record } = await deliverOnce(subscriber.url);
      expect(record).toMatchObject({ status: "failed", error: "redirect", response_code: status });
      expect(target.received).toHaveLength(0);
    },
  );

  test.each([
    ["410", 410, {}],
    ["Retry-After", 503, { "retry-after": "7200" }],
  ])(
    "%s is shown, and changes nothing [fidelity: Webhooks › 410 and Retry-After]",
    async (_name, status, headers) => {
      const subscriber = await startSubscriber(
        (_received, response) => void response.writeHead(status, headers).end(),
      );
      const { sandbox, shop, record } = await deliverOnce(subscriber.url);
      expect(record).toMatchObject({ response_code: status, next_attempt_at: at(60) });
      expect(record.response_headers).toMatchObject(headers);
      await sandbox.advance("1d");
      expect(subscriber.received).toHaveLength(4);
      expect((await shop.state()).status).toBe("enabled");
    },
  );

  test("is never connected to on a host beyond this machine", async () => {
    const { record } = await deliverOnce("https://example.com/webhooks");
    expect(record).toMatchObject({
      status: "failed",
      error: "blocked_by_network_policy",
      response_code: null,
    });
    expect(record.error_detail).toContain("allowExternal");
  });
});

describe("a subscriber's answer", () => {
  test("is stored with its headers, and the body's first 16 KiB with the whole size [fidelity: Deliveries › Stored answer]", async () => {
    const body = "é".repeat(20_000);
    const subscriber = await startSubscriber(
      (_received, response) => void response.writeHead(200, { "x-app": "shop" }).end(body),
    );
    const { record } = await deliverOnce(subscriber.url);
    expect(record.status).toBe("success");
    expect(record.response_headers["x-app"]).toBe("shop");
    expect(record.response_body).toBe("é".repeat(8_192));
    expect(record).toMatchObject({ response_body_encoding: "utf8", response_size: 40_000 });
  });

  test("is stored as base64 when it is not text [fidelity: Deliveries › Stored answer]", async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
    const subscriber = await startSubscriber((_received, response) => void response.end(bytes));
    const { record } = await deliverOnce(subscriber.url);
    expect(record).toMatchObject({
      response_body: bytes.toString("base64"),
      response_body_encoding: "base64",
      response_size: 4,
    });
  });

  test("is a success even if it is empty", async () => {
    const { record } = await deliverOnce((await startSubscriber(204)).url);
    expect(record).toMatchObject({ status: "success", response_size: 0, error: null, error_detail: null });
  });
});
