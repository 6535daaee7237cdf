import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { runBuiltCli, startCli } from "../support/built.ts";
import { expectMisuse, folderOf } from "../support/cli.ts";
import { listenForTest } from "../support/listen.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";

/** Sends a mail, and returns the codes of the responses. */
const SEND_MAIL = `
async function sendMail(socket) {
  const answers = process.getBuiltinModule("node:readline").createInterface({ input: socket })[Symbol.asyncIterator]();
  for (const line of [null, "HELO shop", "MAIL FROM:<shop@acme.test>", "RCPT TO:<ada@acme.test>", "DATA", "Subject: Order ord_1\\r\\n\\r\\nThank you\\r\\n.", "QUIT"]) {
    if (line !== null) socket.write(line + "\\r\\n");
    await answers.next();
  }
}
const { connect } = process.getBuiltinModule("node:net");
const { SANDGLASS_URL } = process.env;
const get = async (path) => (await (await fetch(SANDGLASS_URL + "/_sandbox" + path)).json()).data;
`;

/**
 * Runs a script in `exec`.
 * @returns the JSON that it printed
 */
async function execScript(text: string, { options = [], config = {}, env = {} }: ExecScript = {}) {
  const cwd = folderOf({
    "run.mjs": SEND_MAIL + text,
    "sandbox.config.json": JSON.stringify(config),
    // Makes every host name below .test resolve to this machine.
    "resolve.cjs": `const dns = require("node:dns"); const { lookup } = dns;
      dns.lookup = (host, ...values) => lookup(/[.]test$/.test(host) ? "127.0.0.1" : host, ...values);`,
  });
  const { code, stdout, stderr } = await runBuiltCli(
    ["exec", ...options, "--", process.execPath, "run.mjs"],
    { cwd, env: { NODE_OPTIONS: `--require ${join(cwd, "resolve.cjs")}`, ...env } },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}
interface ExecScript {
  options?: string[];
  config?: object;
  env?: Record<string, string>;
}

const STRIPE = `const { default: Stripe } = await import(${JSON.stringify(import.meta.resolve("stripe"))});
  const stripe = new Stripe("sk_test_1");`;

describe("sandglass exec with a route", () => {
  it("a command run by exec reaches its sender's API in the sandbox through the sender's own package, and other hosts directly", async () => {
    const port = await listenForTest(createServer((_, response) => response.end("outside")));
    const [customers, calls, other] = await execScript(
      `${STRIPE}
      const { data } = await stripe.customers.list();
      const calls = (await get("/requests")).map(({ area, path }) => [area, path]);
      const other = await (await fetch("http://other.test:${port}")).text();
      console.log(JSON.stringify([data.map(({ object }) => object), calls, other]));`,
      { options: ["--sender", "stripe"] },
    );
    expect(customers).toEqual(["customer"]);
    expect(calls).toEqual([["senders", "/senders/stripe/v1/customers"]]);
    expect(other).toBe("outside");
  });

  it.runIf(spawnSync("curl", ["--version"]).status === 0)(
    "curl, which honours HTTPS_PROXY, reaches the sender's API in exec's sandbox over HTTP/2",
    async () => {
      const [object] = await execScript(
        `const text = process.getBuiltinModule("node:child_process").execFileSync("curl", ["-s", "https://api.stripe.com/v1/customers"]);
        console.log(JSON.stringify([JSON.parse(text).object]));`,
        { options: ["--sender", "stripe"] },
      );
      expect(object).toBe("list");
    },
  );

  it("exec --route services handles calls to services, and the Log shows its command's e-mails", async () => {
    const [id, mails] = await execScript(
      `const body = JSON.stringify({ from: "shop@acme.test", to: "ada@acme.test", subject: "Order", text: "Thank you" });
      const { id } = await (await fetch("https://api.resend.com/emails", { method: "POST", body })).json();
      await sendMail(connect(587, "smtp.acme.example"));
      console.log(JSON.stringify([id, await get("/events?types=mail.taken")]));`,
      { options: ["--route", "services", "--seed", "empty"] },
    );
    expect(id).toEqual(expect.any(String));
    expect(mails).toMatchObject([
      { data: { to: "ada@acme.test", subject: "Order ord_1", text: "Thank you" } },
    ]);
  });

  it("exec receives mail sent to the server in subject.mailEnv, and the Log shows it", async () => {
    const [entries] = await execScript(
      `await sendMail(connect(Number(process.env.SMTP_PORT), process.env.SMTP_HOST));
      console.log(JSON.stringify([await get("/events?types=mail.taken")]));`,
      { config: { seed: "empty", subject: { mailEnv: ["SMTP_HOST", "SMTP_PORT"] } } },
    );
    expect(entries).toMatchObject([
      { data: { to: "ada@acme.test", subject: "Order ord_1", text: "Thank you" } },
    ]);
  });

  it("exec sets no gateway variables with --route none or without a sender", async () => {
    const print = "console.log(JSON.stringify([process.env.SANDGLASS_OUTSIDE ?? null]));";
    expect(await execScript(print, { options: ["--sender", "stripe", "--route", "none"] })).toEqual([null]);
    expect(await execScript(print)).toEqual([null]);
  });

  it("exec rejects a route that does not exist", async () => {
    const output = await runWarmCli(["exec", "--route", "all", "--", "true"]);
    expectMisuse(output, /--route must be senders, services or none, not 'all'/);
  });
});

describe("sandglass start with --api-port", () => {
  it("start serves its sender's API at the root of --api-port", async () => {
    const port = await portOfItsOwn();
    const { saw } = startCli(["--sender", "stripe", "--port", "0", "--api-port", String(port)]);
    await saw(new RegExp(`its API .*also on its own port, ${port}`));
    const stripe = new Stripe("sk_test_1", { host: "127.0.0.1", port, protocol: "http" });
    expect((await stripe.customers.list()).data.map(({ object }) => object)).toEqual(["customer"]);
  });

  it("start rejects --api-port without a sender that has an API", async () => {
    const output = await runWarmCli(["--port", "0", "--api-port", "0"]);
    expectMisuse(output, /ports\.api sets the port for a sender's API, but no sender in use has an API\./);
  });
});
