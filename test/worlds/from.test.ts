import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { createBytesCache } from "../../src/runtime/bytes-cache.ts";
import { locate } from "../../src/server/locate.ts";
import { runBuiltCli, serveCli } from "../support/built.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { clientOf, type Json, startSandbox } from "../support/sandbox.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const SCENARIO = `import { defineScenario } from "sandglass";
export default defineScenario({
  name: "sold-out",
  title: "The tea is sold out",
  seed: "empty",
  config: { webhooks: { retryDelays: ["5m"] } },
  async run({ sandbox, step }) {
    await step("A link is used up", async () => {
      await sandbox.payments.createLink({ name: "Tea", short_code: "teapot", amount: "2500000", max_uses: 1 });
      await sandbox.payments.pay("teapot");
      await sandbox.clock.advance("2h");
    });
  },
});
`;
const LINKS = JSON.stringify({ payment_links: [{ name: "Own", short_code: "ownown", amount: "1" }] });

/** Creates a project with a scenario, fixtures and a configuration. */
function project(config: Json = { seed: "empty" }): string {
  const folder = folderOf({ "sandbox.config.json": JSON.stringify(config) });
  mkdirSync(join(folder, "scenarios"));
  writeFileSync(join(folder, "scenarios/sold-out.ts"), SCENARIO);
  mkdirSync(join(folder, "fixtures"));
  writeFileSync(join(folder, "fixtures/links.json"), LINKS);
  return folder;
}

const codesOf = async (url: string): Promise<string[]> =>
  (await clientOf(url).api("GET", "/payment-links")).body.data.map(({ short_code }: Json) => short_code);
const cached = (folder: string) => ({ SANDGLASS_CACHE: folder });

describe("sandglass start --from", () => {
  test("start --from accepts a folder, lets flags override it, reports changes to it and reloads it on a reset", async () => {
    const cwd = project();
    const args = ["--from", "fixtures", "--start-at", "2027-01-01"];
    const { cli, status: begun, url } = await serveCli(args, { cwd, env: cached(folderOf()) });
    expect(begun.clock.now).toMatch(/^2027-01-01/);
    const reset = () => clientOf(url).control("POST", "/reset");
    writeFileSync(join(cwd, "fixtures/links.json"), LINKS.replace("ownown", "newnew"));
    await cli.saw(/^fixtures\/links\.json changed\. .*: npx sandglass reset$/m);
    expect(await codesOf(url)).toEqual(["ownown"]);
    await reset();
    expect(await codesOf(url)).toEqual(["newnew"]);
    writeFileSync(join(cwd, "fixtures/links.json"), '{"payment_links": [{"nam": "Tea"}]}');
    const { status, body } = await reset();
    expect([status, body.error.code]).toEqual([400, "invalid_fixtures"]);
    expect(body.error.message).toContain("links.json");
    rmSync(join(cwd, "fixtures"), { recursive: true });
    expect((await reset()).body.error).toMatchObject({ code: "not_found" });
    expect(await codesOf(url)).toEqual(["newnew"]);
  });

  test("start --from accepts a scenario and starts where it ends, with the configured clock", async () => {
    const cwd = project();
    const { url, status } = await serveCli(["--from", "sold-out", "--paused"], {
      cwd,
      env: cached(folderOf()),
    });
    expect(status).toMatchObject({ clock: { mode: "paused", now: "2026-01-15T11:00:00.000Z" } });
    const [link] = (await clientOf(url).api("GET", "/payment-links")).body.data;
    expect(link).toMatchObject({ short_code: "teapot", current_uses: 1 });
    // Another world starts from the same state, and a reset restores it.
    const made = await clientOf(url).control("POST", "/worlds", { name: "other" });
    expect(await codesOf(made.body.url)).toEqual(["teapot"]);
    await clientOf(url).api("DELETE", `/payment-links/${link.id}`);
    await clientOf(url).control("POST", "/reset");
    expect(await codesOf(url)).toEqual(["teapot"]);
    // A seed that is specified explicitly takes precedence.
    await clientOf(url).control("POST", "/reset", { seed: "empty" });
    expect(await codesOf(url)).toEqual([]);
  });

  test("start --from rejects a snapshot file combined with a seed, and suggests a name for a misspelled one", async () => {
    const cwd = project();
    const { sandbox } = await startSandbox();
    writeFileSync(join(cwd, "a.sandglass"), await sandbox.snapshot());
    const both = await runCli(["--from", "a.sandglass", "--seed", "x", "--port", "0"], { cwd });
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("not both") });
    const ended = await runCli(["--port", "0", "--from", "sold-oot"], { cwd });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(
      /no scenario, snapshot file or folder .* 'sold-oot'\.\n {2}Did you mean sold-out\?/s,
    );
  });
});

test("start --from leaves the world in a data folder unchanged and says that --from has no effect", async () => {
  const cwd = project({ webhooks: { endpoints: [{ url: "/_sandbox/inbox/shop" }] } });
  const args = ["--from", "fixtures", "--data-dir", "data"];
  const endpoints = async (url: string) =>
    (await clientOf(url).control("GET", "/webhooks")).body.data.map(({ id, secret }: Json) => [id, secret]);
  const first = await serveCli(args, { cwd });
  await clientOf(first.url).api("POST", "/payment-links", { body: { name: "More", short_code: "more00" } });
  const before = await endpoints(first.url);
  expect(before).toHaveLength(1);
  first.cli.kill("SIGTERM");
  await first.cli.ended;
  const second = await serveCli(args, { cwd });
  expect((await codesOf(second.url)).sort()).toEqual(["more00", "ownown"]);
  expect(await endpoints(second.url)).toEqual(before);
  await second.cli.saw(/--from has no effect: the world in data keeps its data/);
});

describe("the from option", () => {
  test("createSandbox accepts the from option, which also applies to the worlds that it opens", async () => {
    await using sandbox = await createSandbox({ from: join(project(), "fixtures") });
    await using other = await sandbox.open();
    for (const world of [sandbox, other])
      expect((await world.payments.pay("ownown")).transaction.status).toBe("completed");
  });

  test("sandglass exec and sandglass run accept the from option", async () => {
    const cwd = project();
    const script = `fetch(process.env.SANDGLASS_PLATFORM_URL + "/api/v1/payment-links", { headers: { "x-api-key": process.env.SANDGLASS_API_KEY } })
      .then((answer) => answer.json()).then(({ data }) => console.log(data.map((link) => link.short_code).join()))`;
    const exec = await runBuiltCli(["exec", "--from", "fixtures", "--", process.execPath, "-e", script], {
      cwd,
    });
    expect(exec.stdout.trim()).toBe("ownown");
    writeFileSync(
      join(cwd, "scenarios/uses.mjs"),
      `export default { name: "uses", title: "U", run: async ({ sandbox, expect }) => expect((await sandbox.payments.pay("ownown")).transaction.status).toBe("completed") };`,
    );
    const run = await runWarmCli(["run", "uses", "--from", "fixtures", "--json"], { cwd });
    expect(JSON.parse(run.stdout).status).toBe("passed");
  });
});

describe("POST /worlds", () => {
  async function startIn(folder: string) {
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    return startSandbox({ scenarios: join(folder, "scenarios") });
  }

  test("POST /worlds accepts from as a folder, one of its files, or a scenario in the project", async () => {
    const sandbox = await startIn(project());
    const folder = await sandbox.makeWorld({ name: "a", from: "fixtures", startAt: "2027-01-01" });
    expect(await codesOf(folder.url)).toEqual(["ownown"]);
    const file = await sandbox.makeWorld({ name: "c", from: "fixtures/links.json" });
    expect(await codesOf(file.url)).toEqual(["ownown"]);
    const scenario = await sandbox.makeWorld({ name: "b", from: "sold-out" });
    expect(await codesOf(scenario.url)).toEqual(["teapot"]);
  });

  test("POST /worlds rejects an invalid from value and gives the reason", async () => {
    const cwd = project();
    writeFileSync(join(cwd, "other.txt"), "something");
    writeFileSync(
      join(cwd, "scenarios/broken.mjs"),
      `export default { name: "broken", title: "B", run: ({ step }) => step("It breaks", () => { throw new Error("no luck"); }) };`,
    );
    const sandbox = await startIn(cwd);
    for (const [from, says] of [
      ["fixturs", /'fixturs'\. Did you mean fixtures\?/],
      ["./none/x", /There is no file or folder \.\/none\/x\./],
      ["other.txt", /Cannot read the snapshot other\.txt: it is another kind of file/],
      [
        "broken",
        /The world cannot start from the scenario broken, which failed in the step "It breaks": no luck/,
      ],
    ] as const) {
      const { body } = await sandbox.control("POST", "/worlds", { name: "a", from });
      expect(`${body.error.message} ${body.error.hint}`).toMatch(says);
    }
  });

  test("a world created from a snapshot continues the snapshot's clock, unless another is specified", async () => {
    const folder = project();
    const sandbox = await startIn(folder);
    await sandbox.control("PUT", "/clock", { mode: "scaled", rate: 60 });
    await sandbox.control("POST", "/snapshots", { name: "fast" });
    const saved = await fetch(`${sandbox.url}/_sandbox/snapshots/fast/download`);
    writeFileSync(join(folder, "fast.sandglass"), Buffer.from(await saved.arrayBuffer()));
    const clocks = [
      { from: "fast" },
      { from: "fast.sandglass" },
      { from: "fast.sandglass", clock: { mode: "paused" } },
      { from: "fixtures" },
    ].map(async (world) => (await sandbox.control("POST", "/worlds", world)).body.clock.mode);
    expect(await Promise.all(clocks)).toEqual(["scaled", "scaled", "paused", "paused"]);
  });

  test("POST /worlds re-reads a changed file", async () => {
    const folder = project();
    const sandbox = await startIn(folder);
    await sandbox.makeWorld({ name: "a", from: "fixtures" });
    writeFileSync(join(folder, "fixtures/links.json"), LINKS.replaceAll("ownown", "newnew"));
    expect(await codesOf((await sandbox.makeWorld({ name: "b", from: "fixtures" })).url)).toEqual(["newnew"]);
  });

  test("POST /worlds cannot read files outside the start folder or run other scripts", async () => {
    const folder = project();
    const outside = folderOf({ "a.json": LINKS });
    symlinkSync(outside, join(folder, "link"));
    writeFileSync(join(folder, "script.mjs"), "throw new Error('it ran')");
    const sandbox = await startIn(folder);
    for (const from of [
      outside,
      join(outside, "a.json"),
      "../x",
      "link",
      "link/a.json",
      "script.mjs",
      "./script.mjs",
    ]) {
      const { status, body } = await sandbox.control("POST", "/worlds", { name: "a", from });
      expect([status, body.error.code], from).toEqual([403, "forbidden"]);
    }
  });

  test("a caller on another machine cannot name a file in the from option", () => {
    const cwd = project();
    const options = { cwd, scenarios: join(cwd, "scenarios"), reach: "names" } as const;
    for (const from of ["./fixtures", "fixtures/links.json", "scenarios/sold-out.ts"])
      expect(() => locate(from, options), from).toThrow(
        /a request from another machine cannot refer to files/,
      );
    // A string without a slash can only be a name.
    expect(locate("fixtures", options)).toEqual({ kind: "name" });
  });

  test("POST /worlds lists the errors in a folder of fixtures", async () => {
    const folder = project();
    writeFileSync(join(folder, "fixtures/links.json"), '{"payment_links": [{}]}');
    const sandbox = await startIn(folder);
    const { status, body } = await sandbox.control("POST", "/worlds", { name: "a", from: "fixtures" });
    expect([status, body.error.code]).toEqual([400, "invalid_fixtures"]);
    expect(body.error.message).toContain("fixtures/links.json: payment_links[0].name is required: ");
  });
});

describe("the cache of initial worlds", () => {
  test("a second start with the same from option uses the cache until an input changes", async () => {
    const cwd = project({ from: "./fixtures", webhooks: { endpoints: [{ url: "/_sandbox/inbox/shop" }] } });
    const cache = folderOf();
    const start = async () => {
      const { cli, url } = await serveCli([], { cwd, env: cached(cache) });
      const codes = await codesOf(url);
      expect((await clientOf(url).control("GET", "/webhooks")).body.data).toHaveLength(1);
      cli.kill("SIGTERM");
      await cli.ended;
      return codes;
    };
    expect(await start()).toEqual(["ownown"]);
    const [file, ...others] = readdirSync(cache);
    expect(others).toEqual([]);
    expect(await start()).toEqual(["ownown"]);
    expect(readdirSync(cache)).toEqual([file]);
    writeFileSync(join(cwd, "fixtures/links.json"), LINKS.replaceAll("ownown", "newnew"));
    expect(await start()).toEqual(["newnew"]);
    expect(readdirSync(cache)).toHaveLength(2);
  });

  test("the cache of initial worlds holds at most 32 files and ignores unrelated ones", () => {
    const folder = folderOf();
    const cache = createBytesCache(folder);
    expect(cache.read("a")).toBeUndefined();
    for (let index = 0; index < 40; index += 1) cache.write(`key ${index}`, Buffer.from(`bytes ${index}`));
    expect(readdirSync(folder)).toHaveLength(32);
    expect(cache.read("key 39")?.toString()).toBe("bytes 39");
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "something of another program");
    expect(cache.read("key 39")).toBeUndefined();
    createBytesCache(join(folder, "not/there")).write("a", Buffer.from("a"));
    expect(createBytesCache(join(folder, "not/there")).read("a")?.toString()).toBe("a");
    createBytesCache("/dev/null/x").write("a", Buffer.from("a"));
    expect(createBytesCache("/dev/null/x").read("a")).toBeUndefined();
  });
});
