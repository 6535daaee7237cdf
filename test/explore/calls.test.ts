import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runWarmCli } from "../support/warm-cli.ts";
import { CALLERS, exploreServer, isWrong, serverOf } from "./callers.ts";

describe("explore with a server that calls services", () => {
  it("explore finds a call that is made twice, and sandglass run reproduces it from the saved finding", async () => {
    const { code, text, cwd, url, file } = await exploreServer(
      serverOf(CALLERS["records and mails every delivery"]!),
    );
    expect(text).toContain("POST api.mailer.example/emails is made twice: at attempts 1 and 2.");
    expect(text).toContain('effects["api.mailer.example"].POST /emails expected 1, got 2');
    expect(code).toBe(1);
    // Replaying the saved finding prints the same text about the calls to other services.
    writeFileSync(join(cwd, "sandbox.config.json"), JSON.stringify({ senders: ["acme.yaml"] }));
    const played = await runWarmCli(
      [
        ...["run", "--subscriber", url, "--start", "node server.mjs", "--state", `sqlite:${file}`],
        ...["--secret", "test_secret", join(cwd, "sandglass/findings")],
      ],
      { cwd },
    );
    expect(played.stderr).toMatch(
      /Outside this machine\n {2}api\.mailer\.example: \d+ calls, answered with 200 \{\}/,
    );
    expect(played.code).toBe(1);
  });

  it("explore finds a call that is never made because the handler returned 2xx when the call failed", async () => {
    const caller = CALLERS["mails after recording the event, and reports success on failure"]!;
    const { code, text } = await exploreServer(serverOf(caller));
    expect(text).toContain("POST api.mailer.example/emails is never made.");
    expect(text).toContain("POST api.mailer.example/emails -- returned 429 --");
    expect(code).toBe(1);
  });

  it("explore is inconclusive if a handler fails because a host that no file describes returned {}", async () => {
    const { code, text } = await exploreServer(`
      import { createServer } from "node:http";
      import { DatabaseSync } from "node:sqlite";
      const db = new DatabaseSync(process.env.DATABASE_URL.replace(/^(?:file|sqlite):/, ""));
      createServer(async (request, response) => {
        let text = "";
        for await (const part of request) text += part;
        const { id } = JSON.parse(text);
        const { changes } = db.prepare("insert into seen (id) values (?) on conflict do nothing").run(id);
        // If it knows the event already, it reads the order from the API.
        const found = changes === 1 ? {} : await (await fetch("https://api.acme.example/orders/" + id)).json();
        response.statusCode = changes === 1 || found.status ? 200 : 500;
        if (response.statusCode === 500) console.error("TypeError: the order has no status");
        response.end();
      }).listen(Number(process.env.PORT), "127.0.0.1");`);
    expect(code).toBe(3);
    expect(text).toContain(
      "order.paid got 500 right after GET api.acme.example/orders/? got the placeholder response 200 {}",
    );
    expect(text).toContain("TypeError: the order has no status");
  });

  it("explore --state effects finds a bot that makes a call twice", async () => {
    const bot = (isSeen: string) => `
      import { createServer } from "node:http";
      const seen = new Set();
      createServer(async (request, response) => {
        let text = "";
        for await (const part of request) text += part;
        const { id, order } = JSON.parse(text);
        if (${isSeen}) return response.end();
        seen.add(id);
        const body = JSON.stringify({ text: order });
        const { ok } = await fetch("https://hooks.chat.example/T1", { method: "POST", body }).catch(() => ({}));
        if (!ok) {
          seen.delete(id);
          response.statusCode = 503;
        }
        response.end();
      }).listen(Number(process.env.PORT), "127.0.0.1");`;
    const state = ["--state", "effects"];
    const forgetful = await exploreServer(bot("false"), state);
    expect(forgetful.text).toContain("POST hooks.chat.example/T1 is made twice: at attempts 1 and 2.");
    const attentive = await exploreServer(bot("seen.has(id)"), state);
    expect([attentive.code, attentive.text]).toEqual([0, expect.stringContaining("No difference")]);
  });
});

it("the brute-force search distinguishes handlers that mail correctly from those that do not", () => {
  const right = Object.entries(CALLERS).flatMap(([name, caller]) => (isWrong(caller) === false ? name : []));
  expect(right).toEqual([
    "mails after recording the event, and removes the record on failure",
    "mails inside the transaction that records the event",
    "mails after the transaction, and removes the record on failure",
    "drains an outbox under a lock",
    "mails with an idempotency key",
  ]);
});
