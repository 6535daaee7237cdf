// The SDKs of services, which .ci/run installs in the folder that CLIENTS names. Each of them calls its service as its
// documentation shows, and returns what a handler reads from the response.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.CLIENTS ?? process.cwd(), "package.json"));
const module = (name) => require(name).default ?? require(name);

const MAIL = { from: "shop@acme.test", to: "ada@acme.test", subject: "Order ord_1", text: "Thank you" };

/** SDKs by the name of the service. @type {Record<string, () => unknown>} */
export const SERVICES = {
  async resend() {
    const { Resend } = require("resend");
    const resend = new Resend("re_1");
    const [one, again] = [await resend.emails.send(MAIL), await resend.emails.send(MAIL)];
    const keyed = () => resend.emails.send({ ...MAIL, subject: "Once" }, { idempotencyKey: "ord_1" });
    const [first, second] = [await keyed(), await keyed()];
    const batch = await resend.batch.send([MAIL, { ...MAIL, to: "eve@acme.test" }]);
    const read = await resend.emails.get(one.data.id);
    return {
      areDifferent: one.data.id !== again.data.id,
      isOneByKey: first.data.id === second.data.id,
      batch: batch.data.data.map(({ id }) => typeof id),
      read: read.data.subject,
    };
  },
  async sendgrid() {
    const mail = module("@sendgrid/mail");
    mail.setApiKey("SG.1");
    const [{ statusCode, headers, body }] = await mail.send(MAIL);
    return { statusCode, id: typeof headers["x-message-id"], body };
  },
  async postmark() {
    const { ServerClient } = require("postmark");
    const client = new ServerClient("1");
    const mail = { From: MAIL.from, To: MAIL.to, Subject: MAIL.subject, TextBody: MAIL.text };
    const { MessageID, ErrorCode, To } = await client.sendEmail(mail);
    const batch = await client.sendEmailBatch([mail, { ...mail, To: "eve@acme.test" }]);
    return { MessageID: typeof MessageID, ErrorCode, To, batch: batch.map(({ To }) => To) };
  },
  async mailgun() {
    const Mailgun = module("mailgun.js");
    const client = new Mailgun(FormData).client({ username: "api", key: "key-1" });
    const { id, message, status } = await client.messages.create("mg.acme.test", MAIL);
    return { id: /^<.+@.+>$/.test(id), message, status };
  },
  async twilio() {
    const client = require("twilio")("AC00000000000000000000000000000000", "token");
    const { sid, status, to, body } = await client.messages.create({
      from: "+15005550006",
      to: "+15005550009",
      body: "Order ord_1",
    });
    return { sid: /^SM\w{32}$/.test(sid), status, to, body };
  },
  async "slack-webhooks"() {
    const { IncomingWebhook } = require("@slack/webhook");
    return new IncomingWebhook("https://hooks.slack.com/services/T1/B1/secret1").send({
      text: "Order ord_1",
    });
  },
  async discord() {
    const url = "https://discord.com/api/webhooks/1405614357781545001/secret1";
    const post = (url) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ content: "Order ord_1" }),
      });
    const { status } = await post(url);
    const { id, content } = await (await post(`${url}?wait=true`)).json();
    return { status, id: /^\d+$/.test(id), content };
  },
  async telegram() {
    const { Bot } = require("grammy");
    const { message_id, chat, text } = await new Bot("1:secret1").api.sendMessage(42, "Order ord_1");
    return { message_id: typeof message_id, chat: chat.id, text };
  },
  async openai() {
    const client = new (module("openai"))({ apiKey: "sk-1" });
    const messages = [{ role: "user", content: "Thank Ada" }];
    const { choices } = await client.chat.completions.create({ model: "gpt-5", messages });
    const { output_text } = await client.responses.create({ model: "gpt-5", input: "Thank Ada" });
    return { text: choices[0].message.content, output_text };
  },
  async anthropic() {
    const client = new (module("@anthropic-ai/sdk"))({ apiKey: "sk-ant-1" });
    const messages = [{ role: "user", content: "Thank Ada" }];
    const { content } = await client.messages.create({
      model: "claude-sonnet-4-5",
      max_tokens: 64,
      messages,
    });
    return content[0].text;
  },
};
