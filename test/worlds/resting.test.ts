import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

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
