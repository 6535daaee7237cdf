import fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import { check, explore } from "../../src/index.ts";
import { readSender } from "../../src/senders/files.ts";
import { runCli } from "../support/cli.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { startSandbox } from "../support/sandbox.ts";

test.each([
  ["svix", "whsec_", "has nothing after whsec_"],
  ["svix", "whsec_ab", "is not base64 after whsec_"],
  ["standard-webhooks", "whsec_my_secret", "is not base64 after whsec_"],
  ["stripe", "whsec_", "has nothing after whsec_"],
  ["stripe", '"whsec_test"', "is in quotes"],
  ["stripe", "whsec_test\r", "contains a line break"],
  ["stripe", " whsec_test", "starts or ends with a space"],
  ["stripe", "whsec_te\u0000st", "contains a control character"],
  ["stripe", "sk_test_51Example", "starts with sk_, so it is an API key or token"],
  ["slack", "xoxb-17653672481", "starts with xoxb-, so it is an API key or token"],
])("check and explore reject an invalid secret for %s immediately: %j", async (name, secret, problem) => {
  const sender = await readSender(name);
  const says = { code: "bad_request", message: expect.stringContaining(problem) };
  const shown = JSON.stringify(secret).slice(1, -1);
  const hides = expect.not.stringContaining(shown.length > 12 ? shown : "Example");
  const refusal = { ...says, hint: expect.stringContaining(`as ${name} shows it`) };
  expect(() => sender.checkSecret(secret)).toThrow(expect.objectContaining(refusal));
  expect(() => sender.checkSecret(secret)).toThrow(expect.objectContaining({ message: hides }));
  const url = "http://127.0.0.1:1/";
  const state = () => ({});
  await expect(check({ subscriber: url, sender: name, secret })).rejects.toMatchObject(says);
  await expect(
    explore({ subscriber: () => new Response(), sender: name, secret, state, reset: state }),
  ).rejects.toMatchObject(says);
});

test.each([
  ["whsec_test\n", "contains a line break"],
  [" whsec_test", "starts or ends with a space"],
  ["'whsec_test'", "is in quotes"],
])("check and explore report extra characters in a copied platform secret: %j", async (secret, problem) => {
  const says = { code: "bad_request", message: expect.stringContaining(problem) };
  const url = "http://127.0.0.1:1/";
  const state = () => ({});
  await expect(check({ subscriber: url, secret })).rejects.toMatchObject(says);
  await expect(
    explore({ subscriber: () => new Response(), secret, state, reset: state }),
  ).rejects.toMatchObject(says);
  const sandbox = await startSandbox();
  const refused = await sandbox.control("POST", "/webhooks", { url, secret });
  expectRefusal(refused, 400, "bad_request", secret.endsWith("\n") ? "line break" : problem);
});

test("the HTTP API and the command reject an endpoint whose secret the sender's package would reject", async () => {
  const sandbox = await startSandbox({ settleTimeout: "5s" });
  const url = "http://127.0.0.1:1/";
  const refused = await sandbox.control("POST", "/webhooks", {
    url,
    sender: "svix",
    secret: "whsec_my_secret",
  });
  expectRefusal(refused, 400, "bad_request", "is not base64 after whsec_");
  expect(refused.body.error.param).toBe("secret");
  const { id } = (await sandbox.control("POST", "/webhooks", { url, sender: "svix" })).body;
  expect(id).toMatch(/^wh_/);
  const command = ["check", url, "--sender", "stripe", "--secret", "'whsec_test'"];
  expect(await runCli(command)).toMatchObject({ code: 2, stderr: expect.stringContaining("is in quotes") });
});

test("the sandbox rejects a Svix or Standard Webhooks secret if the official package rejects it, or if it is not base64", async () => {
  const senders = [await readSender("svix"), await readSender("standard-webhooks")];
  const throws = (act: () => unknown) => {
    try {
      act();
      return false;
    } catch {
      return true;
    }
  };
  const drawn = fc.string({
    unit: fc.constantFrom("a", "Z", "7", "+", "/", "=", "_", " ", "\n"),
    maxLength: 9,
  });
  fc.assert(
    fc.property(fc.constantFrom("", "whsec_"), drawn, (prefix, key) => {
      const secret = prefix + key;
      fc.pre(secret !== "");
      const packages = [() => new SvixWebhook(secret), () => new StandardWebhook(secret)];
      const refused = senders.map((one) => throws(() => one.checkSecret(secret)));
      if (packages.some(throws)) expect(refused).toEqual([true, true]);
      const isBase64 = key !== "" && Buffer.from(key, "base64").toString("base64") === key;
      if (isBase64) expect(refused).toEqual([false, false]);
    }),
    { numRuns: 2_000 },
  );
});
