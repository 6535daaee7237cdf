import { describe, expect, it } from "vitest";
import { runBuiltCli } from "../support/built.ts";
import { portOfItsOwn } from "../support/ports.ts";
import type { Json } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHeldSubscriber } from "../support/webhooks.ts";
import { startAgent, startAgentProcess } from "./agent.ts";

const START = "2026-01-15T09:00:00Z";
const DAY = 86_400_000;
/** The seed of a world with links and endpoints. */
const SEED = "sandglass";

/** None of these calls changes the world, so they can all use the same one. */
const REFUSED: [tool: string, input: Record<string, unknown>, message: RegExp][] = [
  ["pay", { target: "coffe" }, /no payment link coffe.*\n.*the tool pay with \{"target":"coffee"\}$/],
  ["pay", { target: "coffee", link: "x" }, /Unknown field: link. Valid names: /],
  ["pay", {}, /Missing required field: target/],
  [
    "fail_subscriber",
    { endpoint: "last", sequence: ["nap"] },
    /sequence\[0\] must be one of status, .*deliver/,
  ],
  ["advance", {}, /one of by, to and until/],
  ["advance", { by: "1h", until: "next" }, /exactly one of by, to and until/],
  ["advance", { by: "3x" }, /"3x" is not a duration\.\nTry 30s/],
  ["advance", { until: "nonsense" }, /not 'nonsense'/],
  [
    "timeline",
    { endpoint: "nowhere" },
    /No webhook endpoint matches 'nowhere'\.\nList them all: the tool status$/,
  ],
  ["expire_session", { session: "cs_gone" }, /cs_gone.*\n.*npx sandglass sessions --status active$/],
  ["explain_delivery", {}, /No delivery has failed/],
  ["explain_delivery", { delivery: "del_1" }, /no delivery del_1.*\n.*the tool timeline with/],
  ["restore_snapshot", { name: "nowhere" }, /no snapshot 'nowhere'/],
  ["create_endpoint", { url: "nope" }, /url must be https, or http to localhost, .*, not 'http:\/\/nope'/],
  [
    "check_subscriber",
    { url: "http://127.0.0.1:1/webhooks", secret: "whsec_agent" },
    /refused the connection/,
  ],
  [
    "check_subscriber",
    { url: "https://example.com/webhooks", secret: "whsec_agent" },
    /url is https:\/\/example.com\/webhooks, which is not on this machine/,
  ],
  [
    "check_subscriber",
    {
      url: "http://127.0.0.1:1/webhooks",
      state: "http://169.254.169.254/state",
      secret: "whsec_agent",
    },
    /state is http:\/\/169.254.169.254\/state, which is not on this machine/,
  ],
  [
    "run_scenario",
    { name: "session-expiry", subscriber: "https://example.com/webhooks", secret: "whsec_agent" },
    /subscriber is https:\/\/example.com\/webhooks, which is not on this machine/,
  ],
];

describe("sandglass mcp", () => {
  it("each MCP tool describes its input, its result and its effect", async () => {
    // Listing the tools does not require a sandbox.
    const { client } = await startAgent("http://127.0.0.1:1");
    const { tools } = await client.listTools();
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(title, name).toMatch(/^[A-Z]/);
      expect(description, name).toMatch(/\.$/);
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(Object.keys(outputSchema?.properties ?? {}), name).not.toEqual([]);
      expect(annotations, name).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
    }
    const named = (hint: "readOnlyHint" | "destructiveHint") =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(named("readOnlyHint").sort()).toEqual([
      "attempts",
      "events",
      "explain_delivery",
      "preview_advance",
      "status",
      "timeline",
    ]);
    expect(named("destructiveHint").sort()).toEqual(["reset", "restore_snapshot"]);
    expect(client.getInstructions()).toMatch(/^Sandglass emulates[\s\S]*npx sandglass explore <url>/);
  });

  it("sandglass mcp starts the configured sandbox and stops it when the connection closes", async () => {
    const port = await portOfItsOwn();
    const { call, client, stderr } = await startAgentProcess({ config: { port, clock: { mode: "paused" } } });
    const status = await call("status");
    expect(status).toMatchObject({
      url: `http://127.0.0.1:${port}`,
      clock: { mode: "paused" },
      keys: { write: "sk_sandbox_write" },
    });
    expect(status.payment_links).toContainEqual(expect.objectContaining({ short_code: "coffee" }));
    expect(stderr()).toContain(`Started a sandbox at http://127.0.0.1:${port}`);
    await client.close();
    await expect.poll(() => fetch(status.url).catch(() => "gone")).toBe("gone");
  });

  it("sandglass mcp exits if its input ends before the first message", async () => {
    expect(await runBuiltCli(["mcp"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("sandglass mcp starts its sandbox on a free port if the configured one is taken", async () => {
    const other = await startSubscriber();
    const { call } = await startAgentProcess({ config: { port: Number(new URL(other.url).port) } });
    const { url } = await call("status");
    expect(url).not.toBe(new URL(other.url).origin);
    expect((await fetch(`${url}/_sandbox/status`)).status).toBe(200);
  });

  it("sandglass mcp does not start a sandbox if SANDGLASS_URL points to one that does not respond", async () => {
    const { request } = await startAgent(`http://127.0.0.1:${await portOfItsOwn()}`);
    const { error } = await request("status");
    expect(error).toMatch(/^No sandbox is running at .+\n.*SANDGLASS_URL/);
  });

  it("an agent can simulate a failure and repair it", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const subscriber = await startSubscriber(401);
    const { call } = await startAgent(sandbox.url);
    const endpoint = await call("create_endpoint", { url: subscriber.url, secret: "whsec_agent" });
    expect(endpoint).toMatchObject({ url: subscriber.url, secret: "whsec_agent", events: ["*"] });

    const paid = await call("pay", { target: "coffee", client_reference_id: "order-7" });
    const [first] = paid.deliveries.filter(({ url }: { url: string }) => url === subscriber.url);
    expect(paid.session.status).toBe("completed");
    expect(first).toMatchObject({ status: "failed", result: "failed with 401" });

    const explained = await call("explain_delivery", { delivery: first.id });
    expect(explained).toMatchObject({
      signature: "valid",
      why: expect.stringContaining("The handler refused the request."),
      fix: expect.stringContaining("diagnose_delivery"),
      response: { status: 401 },
      endpoint: { url: subscriber.url, consecutive_failures: 2, threshold: 10 },
    });
    expect(explained.request.body).toContain("order-7");

    await call("fail_subscriber", { endpoint: "last", kind: "timeout", times: 1 });
    expect(await call("preview_advance", { by: "1m" })).toMatchObject({ attempts: { least: 2, most: 2 } });
    const advanced = await call("advance", { by: "1m" });
    expect(advanced).toMatchObject({
      reached: true,
      cancelled: false,
      summary: expect.stringContaining("failed"),
    });
    expect((await call("explain_delivery")).attempt.attempt).toBe(2);

    const { attempts } = await call("attempts", { endpoint: subscriber.url, failed: true });
    expect(attempts.length).toBeGreaterThan(2);
    subscriber.answer = 200;
    await call("work_subscriber", { endpoint: "last" });
    await call("advance", { by: "11m" });
    expect(await call("timeline", { endpoint: "last" })).toMatchObject({
      endpoint: { status: "enabled", consecutive_failures: 0 },
      planned: [],
      disabled_at: null,
    });
  });

  it("an agent can retry a failed event and resend a delivered one", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const subscriber = await startSubscriber(500);
    const { call } = await startAgent(sandbox.url);
    await call("create_endpoint", { url: subscriber.url, events: ["payment.completed"] });
    const { deliveries } = await call("pay", { target: "coffee" });
    const [failed] = deliveries.filter(({ url }: Json) => url === subscriber.url);
    expect((await call("retry_failed", { delivery: failed.id })).attempts).toMatchObject([
      { status: "failed", result: "failed with 500 (manual)" },
    ]);
    subscriber.answer = 200;
    const { attempts } = await call("retry_failed", { since: "1h", endpoint: "last" });
    expect(attempts).toMatchObject([{ status: "success", event_id: failed.event_id }]);
    const resent = await call("resend", { id: attempts[0].delivery_id });
    expect(resent.attempts).toMatchObject([{ status: "success", result: "succeeded with 200 (resend)" }]);
    const bodies = subscriber.received.map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(bodies.at(-1)).toBe(bodies.at(-2));
  });

  it("the tool that repairs a subscriber also enables its disabled endpoint", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const { call } = await startAgent(sandbox.url);
    const { id } = await call("create_endpoint", { url: `${sandbox.url}/_sandbox/inbox/shop` });
    await call("fail_subscriber", { endpoint: id, status: 503 });
    await call("pay", { target: "coffee" });
    const simulated = await call("explain_delivery");
    expect(simulated.why).toContain("simulated it with the endpoint's fault status:503");
    expect(simulated.why).toContain("The subscriber was not called.");
    expect(simulated.fix).toContain("work_subscriber");
    for (let payment = 0; payment < 4; payment += 1) await call("pay", { target: "coffee" });
    expect((await call("timeline", { endpoint: id })).endpoint.status).toBe("disabled");
    const repaired = await call("work_subscriber", { endpoint: id });
    expect(repaired.endpoint).toMatchObject({ status: "enabled", consecutive_failures: 0 });
  });

  it("explain_delivery reports the cause of a failure, and that the event arrived later", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const subscriber = await startSubscriber(200);
    const { call } = await startAgent(sandbox.url);
    const { id } = await call("create_endpoint", { url: subscriber.url, events: ["payment.completed"] });
    await call("fail_subscriber", { endpoint: id, kind: "timeout", times: 1 });
    await call("pay", { target: "coffee" });
    await call("advance", { by: "30s" });
    await call("advance", { by: "1m" });
    const explained = await call("explain_delivery");
    expect(explained.why).toContain("(simulated)");
    expect(explained.why).toContain("the endpoint's fault timeout");
    expect(explained.next).toMatch(/^The event arrived later, at .+ with attempt 2\./);
    expect(subscriber.received).toHaveLength(1);
  });

  it("explain_delivery explains every delivery, including those of the demo data", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const { call } = await startAgent(sandbox.url);
    const { data } = (await sandbox.control("GET", "/webhooks")).body;
    for (const { id } of data as Json[])
      for (const { delivery_id } of (await call("attempts", { endpoint: id, limit: 100 })).attempts) {
        const { why, attempt } = await call("explain_delivery", { delivery: delivery_id });
        expect(attempt.delivery_id).toBe(delivery_id);
        if (attempt.status === "failed") expect(why).toContain("demo data");
      }
  });

  it("explain_delivery explains a delivery whose endpoint was deleted", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const subscriber = await startSubscriber(500);
    const { call } = await startAgent(sandbox.url);
    const { id } = await call("create_endpoint", { url: subscriber.url, events: ["payment.completed"] });
    await call("pay", { target: "coffee" });
    await sandbox.api("DELETE", `/webhooks/${id}`);
    const { next, endpoint } = await call("explain_delivery");
    expect([endpoint.id, endpoint.status]).toEqual([id, "deleted"]);
    expect(next).toBe("The remaining attempts were skipped when the endpoint was deleted.");
  });

  it("an agent can save, restore and reset the world, and undo each change", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const { call } = await startAgent(sandbox.url);
    const { now } = await call("save_snapshot", { name: "before" });
    await expect(call("save_snapshot", { name: "before" })).rejects.toThrow(
      /already a snapshot.+\n.+replace/,
    );
    await call("save_snapshot", { name: "before", replace: true });
    await call("advance", { by: "1d" });
    expect(await call("restore_snapshot", { name: "before" })).toMatchObject({ clock: { now } });
    const { session } = await call("pay", { target: "coffee" });
    expect(session.status).toBe("completed");
    expect(await call("reset", { seed: "tuesday" })).toMatchObject({ seed: "tuesday" });
    expect(await call("undo")).toMatchObject({ seed: SEED });
    expect(await call("undo")).toMatchObject({ seed: "tuesday" });
    const { entries } = await call("events");
    expect(entries.map(({ type }: { type: string }) => type)).toEqual(["world.reset", "world.undone"]);
  });

  it("an agent can run scenarios and check a handler", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const subscriber = await startSubscriber();
    const { call } = await startAgent(sandbox.url);
    const { scenarios, problems } = await call("scenarios");
    expect(problems).toEqual([]);
    expect(scenarios).toContainEqual(expect.objectContaining({ name: "session-expiry" }));
    const run = await call("run_scenario", { name: "retry-and-recover", params: { failures: 2 } });
    expect(run).toMatchObject({ status: "passed", failure: null });
    expect(run.report).toContain("Attempt 3 of payment.completed");
    expect((await fetch(run.html)).headers.get("content-type")).toContain("text/html");
    const failed = await call("run_scenario", {
      name: "session-expiry",
      subscriber: "http://127.0.0.1:1/webhooks",
      secret: "whsec_agent",
    });
    expect(failed).toMatchObject({ status: "failed", failure: { message: expect.any(String) } });
    await expect(call("run_scenario", { name: "retry-and-recove" })).rejects.toThrow(
      "Did you mean retry-and-recover?",
    );

    const checked = await call("check_subscriber", {
      url: subscriber.url,
      secret: "whsec_agent",
      only: ["wrong-signature", "duplicate"],
    });
    expect(checked).toMatchObject({
      verdict: "fail",
      finding: expect.stringContaining("without a valid signature"),
    });
    expect(checked.hazards).toContainEqual(
      expect.objectContaining({ name: "valid-event", verdict: "pass", fix: null }),
    );
    expect(checked.hazards).toContainEqual(
      expect.objectContaining({
        name: "duplicate",
        verdict: "unknown",
        fix: expect.stringContaining("or pass a state URL"),
      }),
    );
    const another = await call("check_subscriber", {
      url: subscriber.url,
      secret: "whsec_agent",
      sender: "github",
      events: "push",
      only: ["late-retry", "old-secret"],
    });
    expect(another).toMatchObject({ hazards: [{ name: "valid-event", verdict: "pass", assumed: [] }] });
    expect(another.left_out).toContainEqual({
      name: "late-retry",
      reason: "it does not retry",
    });
  });

  it("send_event sends a sender's event and lists the endpoints that did not get it", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber();
    const { call } = await startAgent(sandbox.url);
    await call("create_endpoint", { url: subscriber.url, sender: "github" });
    const url = `${subscriber.url}/off`;
    const { id } = await call("create_endpoint", { url, sender: "github" });
    await sandbox.control("POST", `/webhooks/${id}/disable`);
    const { attempts, disabled } = await call("send_event", { type: "push" });
    expect(attempts).toHaveLength(1);
    expect(disabled).toEqual([{ webhook_id: id, url }]);
  });

  it("each tool rejects invalid input and gives the reason", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const { request } = await startAgent(sandbox.url);
    for (const [tool, input, message] of REFUSED)
      expect.soft((await request(tool, input)).error, `${tool} ${JSON.stringify(input)}`).toMatch(message);
  });

  it("an agent can cancel an advance, which first finishes everything due at the current time", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startHeldSubscriber();
    const { client, call } = await startAgent(sandbox.url);
    await call("create_endpoint", { url: subscriber.url, events: ["checkout.expired"] });
    await sandbox.openSession();
    const abort = new AbortController();
    const advance = client.callTool({ name: "advance", arguments: { by: "30d" } }, { signal: abort.signal });
    await subscriber.arrived(1);
    abort.abort();
    await expect(advance).rejects.toThrow();
    // The server responds to this only after it has been asked to stop the advance.
    await call("status");
    subscriber.open[0]!.answer(200);
    // Advances are queued, so this one starts where the previous one ended.
    const { from } = await call("advance", { by: "0s" });
    expect(Date.parse(from) - Date.parse(START)).toBeLessThan(DAY);
  });

  it("sandglass mcp offers the documentation and the OpenAPI documents as resources", async () => {
    const sandbox = await startSandbox({ seed: SEED });
    const { client } = await startAgent(sandbox.url);
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toContain("sandglass://docs/guide/webhooks.md");
    const read = async (uri: string): Promise<string> => {
      const { contents } = await client.readResource({ uri });
      return contents.map((content) => ("text" in content ? content.text : "")).join("");
    };
    expect(await read("sandglass://docs/agents.md")).toMatch(/^# /);
    for (const name of ["platform", "data", "game", "control"])
      expect(JSON.parse(await read(`sandglass://openapi/${name}.json`))).toMatchObject({ openapi: "3.1.0" });
  });
});
