import { expect, test } from "vitest";
import { rootOf, worldBase } from "../../ui/models/snapshots/api.ts";
import { advanceName, createSnapshots, nameProblem } from "../../ui/models/snapshots/snapshots.ts";
import { createToasts } from "../../ui/models/toasts.ts";

function recorded(...saved: string[]) {
  const calls: string[] = [];
  const note =
    (what: string) =>
    async (name = "") => {
      calls.push(`${what} ${name}`.trim());
      return { name: name || "snapshot-1", seed: "s" };
    };
  const names = ["save", "restore", "reset", "undo", "remove"];
  const api = {
    ...Object.fromEntries(names.map((name) => [name, note(name)])),
    snapshots: async () => saved.map((name) => ({ name })),
  } as never;
  const toasts = createToasts(() => () => undefined);
  return { calls, toasts, snapshots: createSnapshots(api, toasts) };
}

test.each([
  ["save", "coffee", ["save coffee", "remove coffee"]],
  ["restore", "coffee", ["restore coffee", "undo"]],
  ["reset", undefined, ["reset", "undo"]],
] as const)("%s of a world can be taken back", async (what, name, expected) => {
  const { calls, toasts, snapshots } = recorded();
  await snapshots[what](name!);
  await toasts.undo(toasts.list.value[0]!);
  expect(calls).toEqual(expected);
});

test("a snapshot of the page never replaces one of the same name", async () => {
  const { calls, snapshots } = recorded("before");
  expect(await snapshots.save("before")).toBe("There is a snapshot before already. Choose another name.");
  expect(await snapshots.save("a b")).toMatch(/^1 to 64 letters/);
  expect(calls).toEqual([]);
});

test("names of snapshots follow the server's rule", () => {
  expect(advanceName("w".repeat(64)).length).toBe(64);
  expect(["", "a", "before.the-outage_2"].map(nameProblem)).toEqual([undefined, undefined, undefined]);
  expect(["-a", "a b", "a/b", "x".repeat(65)].every((name) => nameProblem(name) !== undefined)).toBe(true);
});

test("a world's page is below the server's root, whichever world asks", () => {
  expect(rootOf("http://127.0.0.1:4400/w/mine/")).toBe("http://127.0.0.1:4400/");
  expect(rootOf("http://127.0.0.1:4400/")).toBe("http://127.0.0.1:4400/");
  expect(worldBase("http://h/", "a")).toBe("http://h/w/a/");
  expect(worldBase("http://h/", "default")).toBe("http://h/");
});
