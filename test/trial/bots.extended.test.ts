import { generateKeyPairSync } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const { CLIENTS } = process.env;
const packageOf = (name: string): string =>
  CLIENTS
    ? JSON.stringify(pathToFileURL(createRequire(join(CLIENTS, "package.json")).resolve(name)).href)
    : '""';

interface Bot {
  sender: string;
  story: string;
  path: string;
  code: string;
}

/** Explores a bot. The only setting that it needs says that its calls are its only effects. */
async function exploreBot({ sender, story, path, code: text }: Bot) {
  const cwd = folderOf({ "bot.mjs": text });
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const { code, stdout, stderr } = await runWarmCli(
    [
      ...["explore", `http://127.0.0.1:${await portOfItsOwn()}${path}`, "--start", "node bot.mjs"],
      ...["--sender", sender, "--story", story, "--state", "effects", "--deviations", "1"],
      ...["--secret", sender === "discord" ? "discord_test" : "test_secret"],
    ],
    { cwd, env: { PRIVATE_KEY: privateKey, LOG_LEVEL: "fatal" } },
  );
  return { code, text: (stdout + stderr).replaceAll(/\s+/g, " ") };
}

/** @param comment the body of a function that gets the context of a newly opened issue */
const probot = (comment: string): Bot => ({
  sender: "github",
  story: "issue",
  path: "/api/github/webhooks",
  code: `
    import { createServer } from "node:http";
    import { createNodeMiddleware, createProbot } from ${packageOf("probot")};
    const app = (robot) => robot.on("issues.opened", async (context) => { ${comment} });
    const overrides = { appId: 1, privateKey: process.env.PRIVATE_KEY, secret: process.env.GITHUB_WEBHOOK_SECRET ?? process.env.SANDGLASS_WEBHOOK_SECRET };
    const middleware = await createNodeMiddleware(app, { probot: createProbot({ overrides }) });
    createServer((request, response) => middleware(request, response, () => response.writeHead(404).end())).listen(Number(process.env.PORT), "127.0.0.1");`,
});

/** @param answer the body of a function that gets an event mentioning the bot, and a function that posts a message */
const bolt = (answer: string): Bot => ({
  sender: "slack",
  story: "conversation",
  path: "/slack/events",
  code: `
    import bolt from ${packageOf("@slack/bolt")};
    const app = new bolt.App({
      signingSecret: process.env.SANDGLASS_WEBHOOK_SECRET, processBeforeResponse: true,
      // If it had a token, Bolt would request these ids once and remember a failure forever, which explore would
      // report.
      authorize: async () => ({ botToken: "xoxb-1", botId: "B0LAN0Z89", botUserId: "U0LAN0Z89" }),
      // Disable Bolt's own retries, because they wait for a random time.
      clientOptions: { retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
    });
    const seen = new Set();
    app.event("app_mention", async ({ event, body, say }) => { ${answer} });
    await app.start({ port: Number(process.env.PORT), host: "127.0.0.1" });`,
});

const discord = (content: string): Bot => ({
  sender: "discord",
  story: "interaction",
  path: "/interactions",
  code: `
    import express from ${packageOf("express")};
    import interactions from ${packageOf("discord-interactions")};
    const { InteractionResponseType, InteractionType, verifyKeyMiddleware } = interactions;
    let count = 0;
    express().post("/interactions", verifyKeyMiddleware(process.env.DISCORD_PUBLIC_KEY ?? process.env.SANDGLASS_WEBHOOK_SECRET), (request, response) => {
      if (request.body.type === InteractionType.PING) return response.send({ type: InteractionResponseType.PONG });
      response.send({ type: InteractionResponseType.CHANNEL_MESSAGE_WITH_SOURCE, data: { content: ${content} } });
    }).listen(Number(process.env.PORT), "127.0.0.1");`,
});

describe.runIf(CLIENTS)("explore with no setting other than --state effects", () => {
  it("explore --state effects finds a comment that a Probot app posts again when its webhook is redelivered", async () => {
    const { code, text } = await exploreBot(
      probot(`await context.octokit.rest.issues.createComment(context.issue({ body: "Thanks!" }));`),
    );
    expect(text).toContain("The comment on octocat/hello#2 is made twice: at attempts 1 and 2.");
    expect(code).toBe(1);
  });

  it("explore --state effects finds a message that a Slack bot posts again when its event is retried", async () => {
    const { code, text } = await exploreBot(bolt(`await say("Hello");`));
    expect(text).toContain(
      "The message to the channel C123ABC456 of Slack is posted twice: at attempts 2 and 3.",
    );
    expect(code).toBe(1);
  });

  it("explore --state effects finds nothing wrong with a Slack bot that remembers which events it has handled", async () => {
    const { code, text } = await exploreBot(
      bolt(`if (seen.has(body.event_id)) return;
        seen.add(body.event_id);
        await say("Hello").catch((error) => { seen.delete(body.event_id); throw error; });`),
    );
    expect([code, text]).toEqual([0, expect.stringContaining("No difference")]);
  });

  it("explore --state effects compares a Discord bot's responses to its interactions", async () => {
    const right = await exploreBot(discord(`"Hello"`));
    const wrong = await exploreBot(discord('"Hello, number " + (count += 1)'));
    expect([right.code, right.text]).toEqual([0, expect.stringContaining("No difference")]);
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining('+ got "Hello, number 2"')]);
  });
});
