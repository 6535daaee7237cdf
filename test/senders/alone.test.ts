import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createSandbox, type SandglassConfig } from "../../src/index.ts";
import { BUILT_CLI } from "../support/built.ts";
import { environment, folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

/** Starts a sandbox for senders only, as `--sender stripe` does. */
const startAlone = (config: SandglassConfig = {}) =>
  startSandbox({ senders: ["stripe"], ...config, ...({ seed: undefined } as object) });
type Sandbox = Pick<Awaited<ReturnType<typeof startAlone>>, "call" | "control">;

const NO_PLATFORM = { organization: null, organizations: [], keys: null, player: null };
const statusOf = async ({ control }: Sandbox) => (await control("GET", "/status")).body;

/** A data file that version 0.4.0 saved for `--sender stripe`: each sender has a failed event with a planned retry. */
const FROM_040 = gunzipSync(readFileSync(new URL("../worlds/from-0.4.0.sandglass.gz", import.meta.url)));
const upload = ({ call }: Sandbox, name: string) =>
  call("POST", `/_sandbox/snapshots/upload?name=${name}`, {
    body: FROM_040,
    headers: { "content-type": "application/octet-stream" },
  });

test("a world with only senders has no platform, and each area's response says how to add it", async () => {
  const sandbox = await startAlone();
  expect(await statusOf(sandbox)).toMatchObject({ ...NO_PLATFORM, senders: ["stripe"], seed: "empty" });
  for (const path of ["/platform/api/v1/products", "/data/api/v1/lookup?symbol=USDC", "/game/launcher/me"]) {
    const { status, text } = await sandbox.call(path.startsWith("/game") ? "POST" : "GET", path, {
      key: "any",
    });
    expect({ path, status }).toEqual({ path, status: 404 });
    expect(text).toContain("it only has stripe.");
    expect(text).toContain("POST /_sandbox/reset with");
  }
  for (const path of ["/links", "/data/cache", "/game/players", "/mail"])
    expect((await sandbox.control("GET", path)).body.error, path).toMatchObject({ code: "invalid_state" });
  expect(
    (await sandbox.control("POST", "/webhooks", { url: "http://localhost:1/x" })).body.error,
  ).toMatchObject({
    message: "This world has no platform: it only has stripe.",
  });
});

test("a world with only senders can deliver, retry, snapshot, fork and reset without the platform", async () => {
  const sandbox = await startAlone();
  const url = `${sandbox.url}/_sandbox/inbox/shop`;
  await sandbox.control("PUT", "/inbox/shop/behaviour", { sequence: [500] });
  const { id } = (await sandbox.control("POST", "/webhooks", { url, sender: "stripe" })).body;
  await sandbox.control("POST", "/senders/stripe/events", { type: "invoice.paid" });
  await sandbox.control("POST", "/snapshots", { name: "failed" });
  expect(
    (await sandbox.control("POST", "/clock/advance", { until: "next", dryRun: true })).body,
  ).toMatchObject({
    would_cause: { attempts: { least: 1, most: 1 }, events: {} },
  });
  await sandbox.control("POST", "/clock/advance", { until: "idle" });
  const fork = await sandbox.makeWorld({ name: "fork", from: "failed" });
  await fork.control("POST", "/clock/advance", { until: "idle" });
  for (const world of [sandbox, fork]) {
    const { attempts } = (await world.control("GET", `/webhooks/${id}/timeline`)).body;
    expect(attempts.map(({ status }: { status: string }) => status)).toEqual(["failed", "success"]);
    expect(await statusOf(world)).toMatchObject(NO_PLATFORM);
  }
  expect((await sandbox.control("GET", "/export")).status).toBe(200);
  expect((await sandbox.control("POST", "/reset", {})).body).toMatchObject(NO_PLATFORM);
  expect((await sandbox.control("GET", "/webhooks")).body.data).toEqual([]);
});

test("a reset with a seed adds the platform to a world with only senders, and an undo removes it again", async () => {
  const sandbox = await startAlone();
  const { body: seeded } = await sandbox.control("POST", "/reset", { seed: "sandglass" });
  expect(seeded).toMatchObject({ senders: [], organization: { name: expect.any(String) } });
  const list = () => sandbox.call("GET", "/platform/api/v1/products", { key: seeded.keys.write });
  expect((await list()).body.data.length).toBeGreaterThan(0);
  expect((await sandbox.control("POST", "/undo")).body).toMatchObject({
    ...NO_PLATFORM,
    senders: ["stripe"],
  });
  expect((await list()).status).toBe(404);
  expect(await statusOf(sandbox)).toMatchObject(NO_PLATFORM);
  expect((await sandbox.control("POST", "/undo")).body.organization).toEqual(seeded.organization);
  expect((await list()).status).toBe(200);
  const { body } = await sandbox.control("POST", "/worlds", { name: "shop", seed: "empty" });
  expect(body.keys).toEqual(seeded.keys);
});

test("restoring a 0.4.0 snapshot with platform rows into a world with only senders adds the platform", async () => {
  const sandbox = await startAlone({ dataDir: folderOf() });
  expect((await upload(sandbox, "v040")).body).toMatchObject({ seed: "empty", problem: null });
  expect((await sandbox.control("POST", "/snapshots/v040/restore")).body).toMatchObject({
    organization: { name: expect.any(String) },
    clock: { now: "2026-01-15T09:01:00.000Z" },
    counts: { payment_links: 1, transactions: 1, webhooks: 2 },
  });
  const { body: endpoints } = await sandbox.control("GET", "/webhooks");
  expect(endpoints.data.map(({ sender }: { sender: string }) => sender).sort()).toEqual([
    "platform",
    "stripe",
  ]);
  await sandbox.control("POST", "/clock/advance", { by: "1h" });
  for (const { id, sender } of endpoints.data) {
    const { attempts } = (await sandbox.control("GET", `/webhooks/${id}/timeline`)).body;
    expect({ sender, attempts: attempts.length }).toEqual({ sender, attempts: sender === "stripe" ? 2 : 6 });
  }
  const [link] = (await sandbox.control("GET", "/links")).body.data;
  const { body: paid } = await sandbox.control("POST", "/payments", { payment_link_id: link.id });
  expect(paid.transaction.status).toBe("completed");
});

test("a world in a sandbox with the platform can start from a 0.4.0 snapshot", async () => {
  const sandbox = await startSandbox();
  await upload(sandbox, "v040");
  const world = await sandbox.makeWorld({ name: "old", from: "v040" });
  expect((await world.api("GET", "/payment-links")).body.data).toMatchObject([{ name: "Coffee" }]);
});

test("asking a sandbox with only senders for its keys fails, and the library's error says how to add the platform", async () => {
  await using sandbox = await createSandbox({ senders: ["stripe"] });
  const refusal = {
    code: "invalid_state",
    hint: expect.stringContaining('seed: "sandglass"'),
  };
  expect(() => sandbox.keys).toThrow(expect.objectContaining(refusal));
  expect(() => sandbox.organization).toThrow(expect.objectContaining(refusal));
  await expect(sandbox.payments.pay("coffee")).rejects.toMatchObject({ code: "invalid_state" });
});

test("a command that serves only senders loads none of the platform's files", () => {
  const report = `import module from "node:module";
    module.registerHooks({ load(url, context, next) { process.stderr.write("loaded " + url + "\\n"); return next(url, context); } });`;
  const loadedBy = (...flags: string[]) => {
    const hooks = `data:text/javascript,${encodeURIComponent(report)}`;
    const args = ["--import", hooks, BUILT_CLI, "exec", ...flags, "--", process.execPath, "-e", ""];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: environment({}) });
    expect({ status, flags, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, flags, stderr: "" });
    return [...stderr.matchAll(/^loaded .*\/(\w+)-[\w-]+\.js$/gm)].map(([, name]) => name);
  };
  expect(loadedBy()).toContain("platform");
  const loaded = loadedBy("--sender", "stripe");
  expect(loaded).toContain("server");
  expect(loaded).not.toContain("platform");
});
