import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

/** Creates 40 worlds, of which at most 32 can be awake at the same time. */
async function startMany() {
  const sandbox = await startSandbox();
  const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
  for (const name of names) await sandbox.makeWorld({ name });
  const { worlds } = sandbox.served;
  const resting = () => names.filter((name) => worlds.find(name).world.store.resting);
  return { sandbox, names, worlds, resting };
}

test("a suspended world stores its rows in an unnamed file, and listing worlds does not wake it", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "resting-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  });
  vi.stubEnv("TMPDIR", temporary);
  const { sandbox, names, worlds, resting } = await startMany();
  expect(resting()).toHaveLength(8);
  expect(readdirSync(temporary)).toEqual([]);
  const first = worlds.find("w0");
  await first.restore(await first.snapshot(), "itself");
  const others = resting();
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
});

test("worlds stay in memory if there is no space for temporary files", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TMPDIR", "/dev/null");
  const { resting } = await startMany();
  expect(resting()).toEqual([]);
});
