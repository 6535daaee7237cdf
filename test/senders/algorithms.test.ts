import { createHmac, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSender } from "../../src/senders/files.ts";
import { type Signing, verifyingKey } from "../../src/webhooks/signing.ts";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const keys = generateKeyPairSync("ed25519");
/** The 32 bytes of the private key, in the form in which senders write it. */
const SEED = Buffer.from(keys.privateKey.export({ format: "jwk" }).d!, "base64url");
const PUBLIC = createPublicKey(keys.privateKey);

const TEXT_KEY: Signing = {
  ...{ header: "", over: "", prefix: "", algorithm: "ed25519", encoding: "hex", secret: "text" },
  ...{ time: "seconds", clock: "real" },
};

type Check = (signature: string, text: string, secret: string) => boolean;
const hmac =
  (algorithm: string, encoding: "hex" | "base64"): Check =>
  (signature, text, secret) =>
    signature === createHmac(algorithm, secret).update(text).digest(encoding);

/** Algorithms that no packaged sender uses, each with a check that uses only Node's own modules. */
const ALGORITHMS: [name: string, signature: string, secret: string, isRight: Check | null][] = [
  ["sha1", "algorithm: hmac-sha1", "key", hmac("sha1", "hex")],
  ["sha512", "algorithm: hmac-sha512, encoding: base64", "key", hmac("sha512", "base64")],
  [
    "ed25519",
    "algorithm: ed25519, encoding: base64, secret: base64, prefix: whsk_",
    `whsk_${SEED.toString("base64")}`,
    (signature, text) => verify(null, Buffer.from(text), PUBLIC, Buffer.from(signature, "base64")),
  ],
  [
    "text",
    "algorithm: ed25519",
    "any text",
    (signature, text, secret) => {
      const x = Buffer.from(verifyingKey(TEXT_KEY, secret), "hex").toString("base64url");
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      return verify(null, Buffer.from(text), key, Buffer.from(signature, "hex"));
    },
  ],
  ["iso", "time: iso", "key", hmac("sha256", "hex")],
  ["milliseconds", "time: milliseconds, clock: virtual", "key", hmac("sha256", "hex")],
  ["unsigned", "algorithm: none", "key", null],
];

test.each(ALGORITHMS)(
  "a sender signs as its file specifies: %s",
  async (name, signature, secret, isRight) => {
    const text = `name: ${name}
events: { order.paid: { body: { id: ord_1, type: order.paid } } }
type: body.type
id: body.id
signature: { header: "X-Signature: t={time},s={signature}", over: "{id}|{time}|{type}|{body}", ${signature} }`;
    const file = join(folderOf({ "sender.yaml": text }), "sender.yaml");
    const sandbox = await startSandbox({ settleTimeout: "5s", senders: [file] });
    const subscriber = await startSubscriber();
    await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender: name, secret });
    await sandbox.control("POST", `/senders/${name}/events`, { type: "order.paid" });
    const { body, ...received } = subscriber.received[0]!;
    const headers = received.headers as Record<string, string>;
    if (isRight === null) {
      expect(headers).not.toHaveProperty("x-signature");
      return;
    }
    const [, time, sent] = /^t=([^,]+),s=(.+)$/.exec(headers["x-signature"]!)!;
    const signed = `${JSON.parse(body).id}|${time}|order.paid|${body}`;
    expect(isRight(sent!, signed, secret)).toBe(true);
    expect(isRight(sent!, `${signed} `, secret)).toBe(false);
    const sender = await readSender(file);
    const request = { headers, body, url: subscriber.url };
    expect(sender.verify(request, secret)).toBe("valid");
    expect(sender.verify({ ...request, body: `${body} ` }, secret)).toBe("invalid");
  },
);

test("a request with two signatures is valid for either secret, in any order", async () => {
  const sender = await readSender("standard-webhooks");
  const [old, present, other] = [1, 2, 3].map((byte) => sender.newSecret(Buffer.alloc(24, byte))) as [
    string,
    string,
    string,
  ];
  const message = {
    ...{ eventId: "evt_1", type: "invoice.paid", body: "{}", endpointId: "wh_1", deliveryId: "del_1" },
    ...{ url: "http://127.0.0.1/", at: 0, test: false },
  };
  for (const [secret, also] of [
    [old, [present]],
    [present, [old]],
  ] as const) {
    const headers = sender.headers({ ...message, secret, also });
    const verdicts = [old, present, other].map((one) => sender.verify({ headers, body: "{}", url: "" }, one));
    expect(verdicts).toEqual(["valid", "valid", "invalid"]);
  }
});
