import { expect, test } from "vitest";
import { rootOf, worldBase } from "../../../ui/models/snapshots/api.ts";
import {
  advanceName,
  createSnapshots,
  lastName,
  nameOfFile,
  nameProblem,
  takenName,
} from "../../../ui/models/snapshots/snapshots.ts";
import { modeWords, worldNow } from "../../../ui/models/snapshots/worlds.ts";
import { createToasts } from "../../../ui/models/toasts.ts";

function recorded(...saved: string[]) {
  const calls: string[] = [];
  const note =
    (what: string) =>
    async (name = "") => {
      calls.push(`${what} ${name}`.trim());
      return { name: name || "snapshot-1" };
    };
  const api = {
    snapshots: async () => saved.map((name) => ({ name })),
    save: note("save"),
    restore: note("restore"),
    undo: note("undo"),
    remove: note("remove"),
    download: note("download"),
    upload: note("upload"),
  } as never;
  const toasts = createToasts(() => () => undefined);
  return { calls, toasts, snapshots: createSnapshots(api, toasts) };
}

test("a restore offers the server's undo", async () => {
  const { calls, toasts, snapshots } = recorded();
  await snapshots.restore("coffee");
  await toasts.undo(toasts.list.value[0]!);
  expect(calls).toEqual(["restore coffee", "undo"]);
});

test("a snapshot or a file of a name that is taken replaces it only when that is asked for", async () => {
  const { calls, snapshots } = recorded("before");
  const refused = await snapshots.save("before").catch((error: Error) => error);
  expect(takenName(refused as Error)).toBe("before");
  await expect(snapshots.upload("before", new Blob())).rejects.toThrow("There is a snapshot before already.");
  expect(calls).toEqual([]);
  await snapshots.save("before", true);
  await snapshots.upload("before", new Blob(), true);
  await snapshots.save("after");
  expect(calls).toEqual(["save before", "upload before", "save after"]);
});

test("a snapshot that is deleted comes back; one that cannot be used does not", async () => {
  const { calls, toasts, snapshots } = recorded();
  const snapshot = { name: "a", seed: "s", now: null, bytes: 10, problem: null, durable: false };
  await snapshots.remove(snapshot);
  await toasts.undo(toasts.list.value[0]!);
  expect(calls).toEqual(["download a", "remove a", "upload a"]);
  await snapshots.remove({ ...snapshot, problem: "It is cut." });
  expect(toasts.list.value.at(-1)!.undo).toBeUndefined();
});

test("names", () => {
  for (const name of [lastName, advanceName]) expect(name("w".repeat(64)).length).toBe(64);
  expect(["", "a", "before.the-outage_2"].map(nameProblem)).toEqual([undefined, undefined, undefined]);
  expect(["-a", "a b", "a/b", "x".repeat(65)].every((name) => nameProblem(name) !== undefined)).toBe(true);
  expect(["mine.sandglass", "from afar (2).sandglass", "…", ".hidden"].map(nameOfFile)).toEqual([
    "mine",
    "from-afar-2-",
    "uploaded",
    "hidden",
  ]);
  for (const file of ["mine.sandglass", "…", ".hidden", "é.db"])
    expect(nameProblem(nameOfFile(file))).toBeUndefined();
});

test("a world's page is below the server's root, whichever world asks", () => {
  expect(rootOf("http://127.0.0.1:4400/w/mine/")).toBe("http://127.0.0.1:4400/");
  expect(rootOf("http://127.0.0.1:4400/")).toBe("http://127.0.0.1:4400/");
  expect(worldBase("http://h/", "a")).toBe("http://h/w/a/");
  expect(worldBase("http://h/", "default")).toBe("http://h/");
});

test("another world's clock goes on at its rate", () => {
  const world = (mode: string, rate: number) =>
    ({ name: "a", url: "", seed: "", clock: { mode, rate, now: "1970-01-01T00:00:10.000Z" } }) as never;
  expect(worldNow(world("paused", 60), 5_000)).toBe(10_000);
  expect(worldNow(world("live", 1), 5_000)).toBe(15_000);
  expect(worldNow(world("scaled", 60), 1_000)).toBe(70_000);
  expect(modeWords(world("scaled", 60))).toBe("60 times real time");
});
