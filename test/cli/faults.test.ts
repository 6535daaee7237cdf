import { describe, expect, it } from "vitest";
import { expectMisuse, readJsonAt, runAt } from "../support/cli.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

describe("sandglass faults", () => {
  it("the faults command makes an API fail, counts the failures and restores it", async () => {
    const sandbox = await startSandbox();
    expect((await runAt(sandbox, "faults")).stdout).toMatch(/^No faults\. .*sandglass faults platform 503$/m);
    const { stdout } = await runAt(sandbox, "faults", "platform", "503", "--match", "GET /products*");
    expect(stdout).toBe(
      "area    platform\nfault   503 for GET /products*\nhits    no calls so far\nend it  npx sandglass faults platform --clear\n",
    );
    expect((await sandbox.api("GET", "/products")).status).toBe(503);
    expect((await sandbox.api("GET", "/widgets")).status).toBe(200);
    expect((await runAt(sandbox, "faults", "platform")).stdout).toMatch(/^hits +hit 1 of 1 call$/m);
    expect((await runAt(sandbox, "faults", "platform", "--clear")).stdout).toMatch(/^fault +none$/m);
    expect((await sandbox.api("GET", "/products")).status).toBe(200);
    expect(await readJsonAt(sandbox, "faults", "platform")).toMatchObject({ spec: null });
  });

  it("the faults and webhooks commands print follow-up commands for the same world", async () => {
    const sandbox = await startSandbox();
    const world = await sandbox.makeWorld({ name: "load" });
    await world.createWebhook(`${world.url}/_sandbox/inbox/shop`);
    const inWorld = (...args: string[]) => runAt(sandbox, ...args, "--world", "load");
    expect((await inWorld("faults", "platform", "503")).stdout).toMatch(/platform --clear --world load$/m);
    expect((await inWorld("webhooks", "fail", "last", "503")).stdout).toMatch(/work last --world load$/m);
    expect((await inWorld("faults")).stdout).toMatch(/work wh_\w+ --world load$/m);
  });

  it("the faults command accepts latency, times and rate, and lists every fault with the command that clears it", async () => {
    const sandbox = await startSandbox();
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const slow = await readJsonAt(sandbox, "faults", "data", "--latency", "1.5s", "--rate", "0.5");
    expect(slow).toMatchObject({ target: "api:data", spec: { latency: 1_500, rate: 0.5 } });
    await readJsonAt(sandbox, "faults", "game", "429", "--latency", "200", "--times", "2");
    await runAt(sandbox, "webhooks", "fail", "last", "503,deliver,reset+pass", "--pass-through");
    await runAt(sandbox, "providers", "indexer", "slow", "--latency", "2s", "--times", "1");
    const { stdout } = await runAt(sandbox, "faults");
    for (const line of [
      /^data API +1\.5 s slower, at a rate of 0\.5 +no calls so far +end it: npx sandglass faults data --clear$/m,
      /^game API +429 after 200 ms, 2 times +no calls .*sandglass faults game --clear$/m,
      /^provider indexer +slow, takes 2 s, 1 time +.*sandglass providers indexer up$/m,
      /^endpoint http\S+shop +503, deliver, reset\+pass in turn, also sent to the subscriber +.*sandglass webhooks work wh_/m,
    ])
      expect(stdout).toMatch(line);
    expect((await readJsonAt(sandbox, "faults")).data).toHaveLength(4);
  });

  it("the faults command rejects an unknown area and a fault that would have no effect", async () => {
    const sandbox = await startSandbox();
    for (const [args, message, hint] of [
      [["nowhere", "503"], /no area nowhere/, "Areas: platform, data, game."],
      [["nowhere"], /no area nowhere/, "Areas: platform, data, game."],
      [["platform", "--times", "2"], /needs status or latency/, "sandglass faults platform 503"],
      [["platform", "200"], /status must be .*from 400 to 599, not 200/, "faults --help"],
      [["platform", "--latency", "soon"], /"soon" is not a duration/, "30s"],
      [["platform", "--latency", "2m"], /--latency must be from 0 to 60000/, "500ms or 2s"],
      [["platform", "503", "--rate", "2"], /--rate must be .*from 0 to 1, not 2/, "faults --help"],
      [["platform", "503", "--clear"], /--clear accepts no status/, "sandglass faults platform --clear"],
      [["", "503"], /needs an area/, "faults platform 503"],
      [["--clear"], /required field: area/, "faults --help"],
      [["--match", "GET *"], /required field: area/, "faults --help"],
    ] as const) {
      const refused = await runAt(sandbox, "faults", ...args);
      expectMisuse(refused, message);
      expect(refused.stderr).toContain(hint);
    }
    expect(await readJsonAt(sandbox, "faults")).toEqual({ data: [] });
  });
});

describe("sandglass inbox", () => {
  it("the inbox command lists inboxes, prints received messages and changes an inbox's responses", async () => {
    const sandbox = await startSandbox();
    expect((await runAt(sandbox, "inbox")).stdout).toMatch(/^No inbox has received anything yet\./);
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const changed = await runAt(sandbox, "inbox", "shop", "--answer", "500,410,201", "--delay", "5ms");
    expect(changed.stdout).toBe(
      `inbox     shop, ${sandbox.url}/_sandbox/inbox/shop\nresponds  500, 410, then 201, after 5 ms each\n`,
    );
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.pay({ payment_link_id: link.id });
    expect((await runAt(sandbox, "inbox")).stdout).toMatch(
      /^shop +4 messages +latest 2026-01-15 09:00:00 +http/,
    );
    const { stdout } = await runAt(sandbox, "inbox", "shop", "--limit", "3");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(
      /^\d+ +2026-01-15 09:00:00 +checkout\.completed +returned 410 +signature valid$/,
    );
    expect(lines[1]).toMatch(/returned 201/);
    expect(lines.slice(3)).toEqual([
      "and 1 earlier; --limit prints more",
      "It is set to respond with 500, 410, then 201, after 5 ms each.",
    ]);
    const { data, behaviour } = await readJsonAt(sandbox, "inbox", "shop");
    expect(data.map(({ answered }: Json) => answered)).toEqual([500, 410, 201, 201]);
    expect(behaviour).toEqual({ status: 201, sequence: [500, 410], delay: 5 });
    expect(await readJsonAt(sandbox, "inbox", "shop", "--answer", "200")).toEqual({ status: 200 });
  });

  it("the inbox command prints one message in full, and bodies that are not webhooks as text", async () => {
    const sandbox = await startSandbox();
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
    const { stdout } = await runAt(sandbox, "inbox", "shop", "last");
    expect(stdout).toMatch(/^signature +valid\nanswered +200$/m);
    expect(stdout).toMatch(/^x-platform-event +checkout\.completed$/m);
    expect(stdout).toMatch(/^ {4}"object": "checkout_session",$/m);
    const [first] = (await readJsonAt(sandbox, "inbox", "shop")).data;
    expect(await readJsonAt(sandbox, "inbox", "shop", String(first.seq))).toEqual(first);
    await fetch(`${sandbox.url}/_sandbox/inbox/other`, { method: "POST", body: "a\u001b[31mb" });
    expect((await runAt(sandbox, "inbox", "other")).stdout).toMatch(
      / a·\[31mb +returned 200 +signature missing$/m,
    );
    expect((await runAt(sandbox, "inbox", "othr")).stdout).toMatch(
      /Did you mean: npx sandglass inbox other$/m,
    );
  });

  it("the inbox command rejects invalid options before it changes anything", async () => {
    const sandbox = await startSandbox();
    for (const [args, message] of [
      [["--answer", "500"], /required field: name/],
      [["shop", "--answer", "500,soon"], /answer.* from 200 to 599, not 'soon'/],
      [["shop", "--answer", ""], /--answer .*from 200 to 599, not ''/],
      [["shop", "--delay", "2m"], /delay must be from 0 to 60000/],
      [["shop", "last"], /The inbox shop has not received anything yet/],
      [["shop", "last", "--answer", "500"], /change an inbox, not one of its messages/],
      [["a/b"], /name must match .*'a\/b'/],
      [[""], /inbox needs a name/],
      [["shop", "--limit", "0"], /--limit must be a whole number from 1 to 1000/],
    ] as const)
      expectMisuse(await runAt(sandbox, "inbox", ...args), message);
    expect((await readJsonAt(sandbox, "inbox", "shop")).behaviour).toEqual({});
  });
});

describe("sandglass requests", () => {
  it("the requests command lists received calls, and prints one of them as a curl command", async () => {
    const sandbox = await startSandbox();
    expect((await runAt(sandbox, "requests")).stdout).toMatch(/have not received any calls yet/);
    expectMisuse(await runAt(sandbox, "requests", "last"), /have not received any calls yet/);
    await sandbox.api("GET", "/products?limit=1");
    await sandbox.api("POST", "/products", { body: { name: "" } });
    const { stdout } = await runAt(sandbox, "requests", "--limit", "2");
    expect(stdout).toMatch(
      /^1 +2026-01-15 09:00:00 +GET +\/platform\/api\/v1\/products\?limit=1 +200 +in \d/,
    );
    expect(stdout).toMatch(/^2 +.* POST +\/platform\/api\/v1\/products +400 +in \d/m);
    const last = (await runAt(sandbox, "requests", "last")).stdout;
    expect(last).toMatch(/^call +POST \/platform\/api\/v1\/products$/m);
    expect(last).toMatch(/^response +400 in \d+ ms$/m);
    expect(last).toMatch(/^request body\n\{\n {2}"name": ""\n\}$/m);
    expect(last.trimEnd().split("\n").at(-1)).toMatch(
      /^curl -X POST '\S+\/platform\/api\/v1\/products' -H "Authorization: Bearer \$SANDGLASS_API_KEY"/,
    );
    expect(last).not.toContain("sk_sandbox");
    expect(await readJsonAt(sandbox, "requests", "1")).toMatchObject({ id: 1, method: "GET", body: null });
    expect((await readJsonAt(sandbox, "requests", "--limit", "1")).data).toHaveLength(1);
    const missing = await runAt(sandbox, "requests", "99");
    expectMisuse(missing, /no request 99/);
    expect(missing.stderr).toContain("List the latest ones: npx sandglass requests");
    expectMisuse(await runAt(sandbox, "requests", "newest"), /no request newest/);
  });
});
