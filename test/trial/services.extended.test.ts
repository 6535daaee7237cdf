import { expect, it } from "vitest";
import { clientsIn, tryOutside } from "./outside.ts";

const { CLIENTS } = process.env;

/** What a handler reads of each answer. */
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

it.runIf(CLIENTS)("the gateway answers the SDK of each service as the SDK expects", async () => {
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
    expect(text).toMatch(new RegExp(`${host}: \\d+ calls?, answered here`));
  expect(text).not.toContain("answered 200 {}");
});
