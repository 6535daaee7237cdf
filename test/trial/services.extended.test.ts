import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { clientsIn, tryOutside } from "./outside.ts";

const { CLIENTS } = process.env;

/** The values that a handler reads from each response. */
const ANSWERS = {
  resend: { areDifferent: true, isOneByKey: true, batch: ["string", "string"], read: "Order ord_1" },
  sendgrid: { statusCode: 202, id: "string", body: "" },
  postmark: {
    MessageID: "string",
    ErrorCode: 0,
    To: "ada@acme.test",
    batch: ["ada@acme.test", "eve@acme.test"],
  },
  mailgun: { id: true, message: "Queued. Thank you.", status: 200 },
  twilio: { sid: true, status: "queued", to: "+15005550009", body: "Order ord_1" },
  "slack-webhooks": { text: "ok" },
  discord: { status: 204, id: true, content: "Order ord_1" },
  telegram: { message_id: "number", chat: 42, text: "Order ord_1" },
  openai: { text: "Thank you.", output_text: "Thank you." },
  anthropic: "Thank you.",
};

it.runIf(CLIENTS)("the gateway returns responses that each service's SDK accepts", async () => {
  const { result, text } = await tryOutside({
    run: `
      const { SERVICES } = await import(${clientsIn("services")});
      const answers = {};
      for (const [name, call] of Object.entries(SERVICES)) answers[name] = await call().catch(String);
      give(answers);`,
    env: { CLIENTS: CLIENTS! },
  });
  expect(result).toEqual(ANSWERS);
  for (const host of [
    "api.resend.com",
    "api.sendgrid.com",
    "api.postmarkapp.com",
    "api.mailgun.net",
    "api.twilio.com",
  ])
    expect(text).toMatch(new RegExp(`${host}: \\d+ calls?, handled here`));
  expect(text).not.toContain("answered with 200 {}");
});

it.runIf(CLIENTS)(
  "nodemailer sends over STARTTLS to the server in subject.mailEnv, given in parts or as a URL",
  async () => {
    const { result, text, html } = await tryOutside({
      subject: { mailEnv: ["SMTP_HOST", "SMTP_PORT", "SMTP_SECURE", "SMTP_URL"] },
      run: `
      const { SMTP_HOST: host, SMTP_PORT, SMTP_SECURE, SMTP_URL } = process.env;
      const { createTransport } = process.getBuiltinModule("node:module").createRequire(${JSON.stringify(`${CLIENTS}/package.json`)})("nodemailer");
      const mail = (subject) => ({ from: "shop@acme.test", to: "ada@acme.test", subject, text: "Thank you" });
      const tls = await createTransport({ host, port: Number(SMTP_PORT), secure: SMTP_SECURE === "true", requireTLS: true, auth: { user: "shop", pass: "any" } }).sendMail(mail("Over TLS"));
      const url = await createTransport(SMTP_URL).sendMail(mail("By URL"));
      give([tls, url].map(({ response }) => response.slice(0, 3)));`,
    });
    expect(result).toEqual(["250", "250"]);
    expect(text).toContain("SMTP_HOST: 2 mails, accepted here");
    for (const subject of ["Over TLS", "By URL"]) expect(html).toContain(subject);
  },
);

it.runIf(spawnSync("python3", ["--version"]).status === 0)(
  "Python's smtplib sends over STARTTLS to the server in subject.mailEnv, and trusts its certificate",
  async () => {
    const script = `
import os, smtplib, ssl
with smtplib.SMTP(os.environ["SMTP_HOST"], int(os.environ["SMTP_PORT"])) as server:
    server.starttls(context=ssl.create_default_context())
    server.login("shop", "any")
    print(server.sendmail("shop@acme.test", ["ada@acme.test"], "Subject: From Python\\r\\n\\r\\nThank you"))
`;
    const { result, html } = await tryOutside({
      subject: { mailEnv: ["SMTP_HOST", "SMTP_PORT"] },
      files: { "mail.py": script.replaceAll("\\\\", "\\") },
      run: `give(String(process.getBuiltinModule("node:child_process").execFileSync("/usr/bin/python3", ["mail.py"])).trim());`,
    });
    expect(result).toBe("{}");
    expect(html).toContain("From Python");
  },
);
