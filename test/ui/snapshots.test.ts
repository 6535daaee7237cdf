import { expect, test } from "vitest";
import { createToasts } from "../../ui/models/toasts.ts";
import { advanceName, nameProblem, rootOf, saveWorld, worldBase } from "../../ui/models/worlds.ts";

test("saving a snapshot on the page never replaces one with the same name, and can be undone", async () => {
  const calls: string[] = [];
  const api = {
    snapshots: async () => [{ name: "before" }],
    saveSnapshot: async (name = "snapshot-1") => {
      calls.push(`save ${name}`);
      return { name };
    },
    removeSnapshot: async (name: string) => void calls.push(`remove ${name}`),
  } as never;
  const toasts = createToasts();
  expect(await saveWorld(api, toasts, "before")).toMatch(/^There is already a snapshot before\b/);
  expect(await saveWorld(api, toasts, "a b")).toMatch(/^1 to 64 letters/);
  expect(await saveWorld(api, toasts, "coffee")).toBeUndefined();
  await toasts.undo(toasts.list.value[0]!);
  expect(await saveWorld(api, toasts, "")).toBeUndefined();
  expect(calls).toEqual(["save coffee", "remove coffee", "save snapshot-1"]);
});

test("the page validates snapshot names by the server's rule", () => {
  expect(advanceName("w".repeat(64)).length).toBe(64);
  expect(["", "a", "before.the-outage_2"].map(nameProblem)).toEqual([undefined, undefined, undefined]);
  expect(["-a", "a b", "a/b", "x".repeat(65)].every((name) => nameProblem(name) !== undefined)).toBe(true);
});

test("a world's page is below the server's root, no matter which world links to it", () => {
  expect(rootOf("http://127.0.0.1:4400/w/mine/")).toBe("http://127.0.0.1:4400/");
  expect(rootOf("http://127.0.0.1:4400/")).toBe("http://127.0.0.1:4400/");
  expect(worldBase("http://h/", "a")).toBe("http://h/w/a/");
  expect(worldBase("http://h/", "default")).toBe("http://h/");
});
