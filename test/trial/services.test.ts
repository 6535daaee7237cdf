import { expect, it } from "vitest";
import { tryOutside } from "./outside.ts";

/** A service of a project, as shown in docs/outside.md. */
const ACME = `
api:
  base: https://api.acme.io
  reads:
    GET /v1/charges/{id}: charge
  writes:
    POST /v1/charges:
      make: charge
      as: { id: ch_1, status: paid }
      effect: { key: "{customer}: {amount}", thing: "the charge of {customer}" }
`;

it("a started server can read what it wrote to a service described in ten lines", async () => {
  const { result, text } = await tryOutside({
    files: { "services/acme.yaml": ACME },
    run: `
      const { Resend } = await import(${JSON.stringify(import.meta.resolve("resend"))});
      const mail = { from: "shop@acme.test", to: "ada@acme.test", subject: "Order ord_1", text: "Thank you" };
      const { data } = await new Resend("re_1").emails.send(mail);
      const call = async (path, init) => (await fetch("https://api.acme.io" + path, init)).json();
      const made = await call("/v1/charges", { method: "POST", body: JSON.stringify({ customer: "ada", amount: 46 }) });
      give({ mail: typeof data.id, made, read: await call("/v1/charges/" + made.id), other: await call("/v1/orders") });`,
  });
  const charge = { id: expect.stringMatching(/^ch_/), status: "paid", customer: "ada", amount: 46 };
  expect(result).toEqual({ mail: "string", made: charge, read: charge, other: {} });
  expect(text).toContain("api.resend.com: 1 call, handled here");
  expect(text).toContain("api.acme.io: 2 calls, handled here");
  expect(text).toContain(
    "api.acme.io: 1 call, answered with 200 {}; describe them in services/acme.yaml if your handler reads the response",
  );
});

it("a started server sends mail to the SMTP server in subject.mailEnv, and the report shows its text", async () => {
  const { result, text, html } = await tryOutside({
    subject: { mailEnv: ["SMTP_HOST", "SMTP_PORT"] },
    run: `
      const { connect } = process.getBuiltinModule("node:net");
      const socket = connect(Number(process.env.SMTP_PORT), process.env.SMTP_HOST);
      const answers = process.getBuiltinModule("node:readline").createInterface({ input: socket })[Symbol.asyncIterator]();
      const codes = [];
      for (const line of [null, "HELO shop", "MAIL FROM:<shop@acme.test>", "RCPT TO:<ada@acme.test>", "DATA", "Subject: Order\\r\\n\\r\\nThank you\\r\\n.", "QUIT"]) {
        if (line !== null) socket.write(line + "\\r\\n");
        codes.push((await answers.next()).value.slice(0, 3));
      }
      give(codes);`,
  });
  expect(result).toEqual(["220", "250", "250", "250", "354", "250", "221"]);
  expect(text).toContain("SMTP_HOST: 1 mail, accepted here");
  expect(html).toMatch(/ada@acme\.test[\s\S]*Order[\s\S]*Thank you/);
});
