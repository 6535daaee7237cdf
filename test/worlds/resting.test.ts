import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

/** Makes 40 worlds with a link each, of which 32 can be awake. */
async function startMany() {
  const sandbox = await startSandbox();
  const worlds = new Map<string, Awaited<ReturnType<typeof sandbox.makeWorld>>>();
  for (let index = 0; index < 40; index += 1) {
    const name = `w${index}`;
    const world = await sandbox.makeWorld({ name });
    await world.createLink({ name });
    worlds.set(name, world);
  }
  const resting = () =>
    [...worlds.keys()].filter((name) => sandbox.served.worlds.find(name).world.store.resting);
  return { sandbox, worlds, resting };
}

test("a world at rest has its rows in a file without a name, and answers from them", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "resting-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  });
  vi.stubEnv("TMPDIR", temporary);
  const { worlds, resting } = await startMany();
  const names = resting();
  expect(names).not.toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
  for (const name of names) {
    const { body } = await worlds.get(name)!.api("GET", "/payment-links");
    expect(body.data).toMatchObject([{ name }]);
  }
  expect(resting()).not.toEqual(names);
});

test("worlds stay in memory if there is no room for temporary files", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TMPDIR", "/dev/null");
  const { worlds, resting } = await startMany();
  expect(resting()).toEqual([]);
  const { body } = await worlds.get("w0")!.api("GET", "/payment-links");
  expect(body.data).toMatchObject([{ name: "w0" }]);
});

test("a list of the worlds wakes none of those at rest, and shows each as it is", async () => {
  const sandbox = await startSandbox();
  const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
  for (const name of names) await sandbox.makeWorld({ name });
  const { worlds } = sandbox.served;
  const resting = () => names.filter((name) => worlds.find(name).world.store.resting);
  const before = resting();
  expect(before).toHaveLength(8);
  const first = worlds.find("w0");
  await first.restore(await first.snapshot(), "itself");
  const others = resting();
  for (let count = 0; count < 2; count += 1) {
    const { body } = await sandbox.control("GET", "/worlds");
    expect(body.data).toEqual(
      ["default", ...names].map((name) => ({
        name,
        url: name === "default" ? sandbox.url : `${sandbox.url}/w/${name}`,
        seed: "empty",
        clock: { mode: "paused", rate: 1, now: "2026-01-15T09:00:00.000Z" },
      })),
    );
    expect(resting()).toEqual(others);
  }
});
