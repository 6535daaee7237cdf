import { expect, test } from "vitest";
import { makeOneOfEach } from "../support/endpoints.ts";
import { expectError } from "../support/platform-errors.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox({ webhooks: { allowHttpHosts: ["receiver", "shop.internal"] } });

const REFUSED: [url: unknown, says?: string | number][] = [
  [""],
  ["example.com/hook"],
  ["/hook"],
  ["//example.com/hook"],
  ["https://"],
  ["https:///hook"],
  ["https://?x"],
  ["https://#x"],
  ["http://"],
  ["ftp://example.com/hook"],
  ["ws://localhost/hook"],
  ["file:///etc/passwd"],
  ["javascript:alert(1)"],
  ["data:text/plain,x"],
  ["https://exa mple.com"],
  [" https://example.com"],
  ["https://example.com/a b"],
  ["https://example.com/\u0000"],
  ["https://example.com/\t"],
  ["https://example.com\\@localhost/"],
  ["https://example.com:99999/"],
  ["https://[::1"],
  ["https://[fe80::1%25eth0]/"],
  ["https://user:secret@example.com/hook"],
  ["https://user@example.com/hook"],
  ["http://user:secret@localhost:3000/hook"],
  ["http://example.com/hook", "webhooks.allowHttpHosts"],
  ["http://10.0.0.1/hook", "webhooks.allowHttpHosts"],
  ["http://192.168.1.4:3000/hook"],
  ["http://169.254.169.254/latest/meta-data"],
  ["http://0.0.0.0:3000/hook"],
  ["http://128.0.0.1/hook"],
  ["http://[fe80::1]/hook"],
  ["http://[::ffff:10.0.0.1]/hook"],
  ["http://[::]/hook"],
  ["http://localhost.example.com/hook"],
  ["http://notlocalhost/hook"],
  ["http://127.0.0.1.example.com/hook"],
  ["http://receiver.example/hook"],
  [`https://example.com/${"x".repeat(3_000)}`, 2_048],
  [5],
  [true],
  [null],
  [[]],
  [["https://example.com"]],
  [{}],
];

const TAKEN: [url: string, kept?: string][] = [
  ["https://example.com/hook"],
  ["https://example.com", "https://example.com/"],
  ["https://10.0.0.1:8443/hook?a=1&b=%20"],
  ["https://[fe80::1]/hook"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["http://localhost/hook"],
  ["http://localhost:3000/hook"],
  ["HTTP://LOCALHOST:3000/hook", "http://localhost:3000/hook"],
  ["http://api.localhost:3000/hook"],
  ["http://127.0.0.1:3000/hook"],
  ["http://127.255.255.254/hook"],
  ["http://2130706433/hook", "http://127.0.0.1/hook"],
  ["http://[::1]:3000/hook"],
  ["http://receiver:8080/hook"],
  ["http://shop.internal/hook"],
  ["https://example.com/hook#part", "https://example.com/hook"],
];

test("an endpoint's URL must be https, or http on this machine or an allowed host [fidelity: Payments platform › Endpoint URLs · Webhooks › URL]", async () => {
  const { "/webhooks": id } = await makeOneOfEach(sandbox);
  const before = (await sandbox.api("GET", "/webhooks")).body;
  for (const [url, says] of REFUSED) {
    for (const [method, path] of [
      ["POST", "/webhooks"],
      ["PATCH", `/webhooks/${id}`],
    ] as const) {
      const answer = await sandbox.api(method, path, { body: { url } });
      expectError(answer, "invalid_field_value", { param: "url", says }, `${method} ${String(url)}`);
      expect(answer.text).not.toContain("secret@");
    }
  }
  expect((await sandbox.api("GET", "/webhooks")).body).toEqual(before);

  for (const [url, kept = url] of TAKEN) {
    const created = await sandbox.api("POST", "/webhooks", { body: { url } });
    expect({ url, status: created.status, kept: created.body.url }).toEqual({ url, status: 201, kept });
    const patched = await sandbox.api("PATCH", `/webhooks/${id}`, { body: { url } });
    expect({ url, status: patched.status, kept: patched.body.url }).toEqual({ url, status: 200, kept });
  }
});

test("a delivery to a host outside this machine is recorded as blocked and never sent [fidelity: Webhooks › Network]", async () => {
  const hook = await sandbox.createWebhook("https://example.com/hook");
  const answer = await sandbox.api("POST", `/webhooks/${hook.id}/test`);
  expect(answer.body).toMatchObject({ response_code: null, success: false });
  const [delivery] = await sandbox.deliveries(hook.id);
  expect(delivery).toMatchObject({ status: "failed", error: "blocked_by_network_policy", trigger: "test" });
});
