import { expect, onTestFinished, test, vi } from "vitest";
import { loadOnce } from "../../src/runtime/load-once.ts";
import { AREAS } from "../../src/sandbox/areas.ts";
import { startSandbox } from "../support/sandbox.ts";
import { teaArea } from "./tea.ts";

/**
 * Tests docs/architecture.md, "Adding an area": everything that an area gets by being registered, without changing any
 * other file.
 */
const start = () => startSandbox({ seed: "sandglass" }, { areas: [...AREAS, teaArea] });
type Sandbox = Awaited<ReturnType<typeof start>>;

const seeded = { id: "pot_0", leaf: "sencha", ready_at: "1970-01-01T00:00:00.000Z", ready: true };
const pots = async (client: Pick<Sandbox, "call">) => (await client.call("GET", "/tea/pots")).body;
const brew = (client: Pick<Sandbox, "call">) =>
  client.call("POST", "/tea/pots", { body: { leaf: "assam" }, key: null });

test("a registered area supports fixtures, virtual time, timers and the journal", async () => {
  const sandbox = await start();
  expect(await pots(sandbox)).toEqual([seeded]);
  const { body: pot } = await brew(sandbox);
  expect(pot).toMatchObject({ leaf: "assam", ready_at: "2026-01-15T09:04:00.000Z", ready: false });
  const { status, body } = await sandbox.control("POST", "/clock/advance", { until: "pot.ready" });
  expect([status, body.to]).toEqual([200, pot.ready_at]);
  expect(await pots(sandbox)).toContainEqual({ ...pot, ready: true });
});

test("worlds, forks, resets and snapshots include a registered area", async () => {
  const sandbox = await start();
  await brew(sandbox);
  const other = await sandbox.makeWorld({ name: "other" });
  expect(await pots(other)).toEqual([seeded]);
  const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
  expect(await pots(fork)).toHaveLength(2);
  await sandbox.control("POST", "/snapshots", { name: "brewing" });
  await sandbox.control("POST", "/reset", {});
  expect(await pots(sandbox)).toEqual([seeded]);
  await sandbox.control("POST", "/snapshots/brewing/restore", {});
  await sandbox.control("POST", "/clock/advance", { by: "5m" });
  expect(await pots(sandbox)).toMatchObject([{ ready: true }, { leaf: "assam", ready: true }]);
});

test("a fault applies to the API of a registered area", async () => {
  const sandbox = await start();
  const set = await sandbox.control("PUT", "/faults/tea", { status: 503, times: 1 });
  expect(set.status, set.text).toBe(200);
  const broken = await sandbox.call("GET", "/tea/pots");
  expect(broken).toMatchObject({ status: 503, body: { sorry: "The kettle is broken." } });
  expect(broken.headers.get("x-sandbox-fault")).toBe("api");
  expect(await pots(sandbox)).toEqual([seeded]);
});

test("calls to a registered area are validated, documented, logged and counted", async () => {
  const sandbox = await start();
  expect(await sandbox.call("POST", "/tea/pots", { body: {} })).toMatchObject({
    status: 400,
    body: { sorry: expect.stringContaining("leaf") },
  });
  const { body: document } = await sandbox.call("GET", "/tea/openapi.json");
  expect(document).toMatchObject({
    info: { title: "Tea" },
    servers: [{ url: `${sandbox.served.url}/tea` }],
    paths: { "/pots": { get: { operationId: "listPots" }, post: { operationId: "brew" } } },
    components: { schemas: { Pot: { type: "object" } } },
  });
  expect((await sandbox.call("GET", "/tea/reference")).text).toContain("listPots");
  const { body: log } = await sandbox.control("GET", "/requests");
  expect(log.data[0]).toMatchObject({ area: "tea", method: "POST", path: "/tea/pots", status: 400 });
  const { body: status } = await sandbox.control("GET", "/status");
  expect(status).toMatchObject({ bases: { tea: `${sandbox.served.url}/tea` }, counts: { pots: 1 } });
});

test("a request that fails before reaching an area's routes is rejected with an error in the area's format", async () => {
  const sandbox = await start();
  const { status, body } = await sandbox.call("GET", "/tea/%zz");
  expect([status, body]).toEqual([400, { sorry: expect.stringContaining("percent-encoded") }]);
});

test("the next call to an area that failed to load retries loading it", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => noise.mockRestore());
  let loads = 0;
  const area: typeof teaArea = {
    ...teaArea,
    routes(app, options) {
      loads += 1;
      if (loads === 1) throw new Error("EMFILE: too many open files");
      return teaArea.routes(app, options);
    },
  };
  const sandbox = await startSandbox({}, { areas: [...AREAS, area] });
  const { status, body } = await sandbox.call("GET", "/tea/pots");
  expect([status, body.error]).toEqual([
    500,
    {
      code: "internal",
      message: "The response could not be loaded: EMFILE: too many open files.",
      hint: "Retry the request. If it fails every time, please report it.",
    },
  ]);
  expect(await pots(sandbox)).toEqual([]);
  expect(loads).toBe(2);
});

test("loadOnce() loads an area once, and again only after a failure", async () => {
  let loads = 0;
  const part = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error("not yet");
    return loads;
  });
  expect(part.started).toBeUndefined();
  await expect(Promise.all([part.get(), part.get()])).rejects.toThrow("not yet");
  expect(part.started).toBeUndefined();
  expect(await Promise.all([part.get(), part.get(), part.started])).toEqual([2, 2, 2]);
});
