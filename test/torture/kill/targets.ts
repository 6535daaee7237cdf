import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { call, download, must } from "../api.ts";
import { countRows } from "../invariants.ts";

/** How many links are added to mark a state of a world. */
const MARKS = 4;

/** The things that a round works with: a running server and its data folder. */
export interface Place {
  url: string;
  folder: string;
  /** The name of the world or snapshot in this round. */
  name: string;
}

/** What a round found in the folder after the kill and the restart. */
export interface Aftermath extends Place {
  /** Whether the operation was confirmed before the kill. */
  confirmed: boolean;
}

/** An operation during which the process is killed. */
export interface Target {
  name: string;
  prepare?: (place: Place) => Promise<unknown>;
  strike: (place: Place) => Promise<unknown>;
  /**
   * Describes a state that is neither the one before nor the one after the operation; undefined if it is one of them.
   */
  verify: (aftermath: Aftermath) => Promise<string | undefined>;
}

const api = "/platform/api/v1/payment-links";

/** Adds links to a world that later show which state it is in. */
async function mark(url: string, world: string, mark: string): Promise<void> {
  for (let number = 0; number < MARKS; number += 1)
    await must(url, "POST", `/w/${world}${api}`, { name: `${mark} ${number}`, amount: "1" });
}

async function makeMarkedWorld({ url, name }: Place): Promise<void> {
  await must(url, "POST", "/_sandbox/worlds", { name });
  await mark(url, name, "mark-one");
}

/** How many links with the given mark a world contains; undefined if the world does not exist. */
async function marks(url: string, world: string, mark: string): Promise<number | undefined> {
  const { status, body } = await call(url, "GET", `/w/${world}${api}?search=${mark}&limit=100`);
  return status === 200 ? body.total_count : undefined;
}

async function journalHas(url: string, world: string, type: string): Promise<boolean> {
  const { data } = await must(url, "GET", `/w/${world}/_sandbox/events?types=${type}`);
  return data.length > 0;
}

const save = ({ url, name }: Place) => must(url, "POST", `/w/${name}/_sandbox/snapshots`, { name });

/** The world must exist with all its marks, or not at all. It may be missing only if nothing was confirmed. */
async function allOrNothing(
  { url, name, confirmed }: Aftermath,
  marked: number,
): Promise<string | undefined> {
  const found = await marks(url, name, "mark-one");
  if (found === undefined) return confirmed ? "the world is gone" : undefined;
  return found === marked ? undefined : `the world has ${found} of ${marked} links`;
}

/** A snapshot must exist completely or not at all. */
async function wholeSnapshot({ url, folder, name, confirmed }: Aftermath): Promise<string | undefined> {
  const { data } = await must(url, "GET", "/_sandbox/snapshots");
  const listed = (data as { name: string; problem: string | null }[]).find((one) => one.name === name);
  if (!listed) return confirmed ? "the snapshot is gone" : undefined;
  if (listed.problem !== null) return `the snapshot cannot be used: ${listed.problem}`;
  const file = join(folder, "snapshots", `${name}.sandglass`);
  if (!existsSync(file)) return "the snapshot has no file";
  const found = countRows(readFileSync(file), "payment_links", "name like 'mark-one %'");
  return found === MARKS ? undefined : `the snapshot has ${found} of ${MARKS} links`;
}

export const TARGETS: readonly Target[] = [
  {
    name: "load",
    strike: () => new Promise((resolve) => setTimeout(resolve, 400)),
    verify: async () => undefined,
  },
  {
    name: "making a world",
    strike: ({ url, name }) => must(url, "POST", "/_sandbox/worlds", { name, seed: `seed-${name}` }),
    verify: (aftermath) => allOrNothing(aftermath, 0),
  },
  {
    name: "fork",
    prepare: (place) => makeMarkedWorld({ ...place, name: `${place.name}-origin` }),
    strike: ({ url, name }) => must(url, "POST", "/_sandbox/worlds", { name, from: `${name}-origin` }),
    verify: async (aftermath) =>
      (await allOrNothing(aftermath, MARKS)) ??
      (await allOrNothing({ ...aftermath, name: `${aftermath.name}-origin`, confirmed: true }, MARKS)),
  },
  {
    name: "end of a world",
    prepare: makeMarkedWorld,
    strike: ({ url, name }) => must(url, "DELETE", `/_sandbox/worlds/${name}`),
    async verify(aftermath) {
      const { url, name, confirmed } = aftermath;
      if (!confirmed) return allOrNothing(aftermath, MARKS);
      return (await marks(url, name, "mark-one")) === undefined ? undefined : "the world is back";
    },
  },
  {
    name: "reset",
    prepare: makeMarkedWorld,
    strike: ({ url, name }) => must(url, "POST", `/w/${name}/_sandbox/reset`, {}),
    async verify({ url, name, confirmed }) {
      const found = await marks(url, name, "mark-one");
      const told = await journalHas(url, name, "world.reset");
      const before = found === MARKS && !told && !confirmed;
      return before || (found === 0 && told)
        ? undefined
        : `${found} links, world.reset in the journal: ${told}`;
    },
  },
  {
    name: "undo",
    async prepare(place) {
      await makeMarkedWorld(place);
      await must(place.url, "POST", `/w/${place.name}/_sandbox/reset`, {});
    },
    strike: ({ url, name }) => must(url, "POST", `/w/${name}/_sandbox/undo`),
    async verify({ url, name, confirmed }) {
      const found = await marks(url, name, "mark-one");
      const undone = await journalHas(url, name, "world.undone");
      const before = found === 0 && !undone && !confirmed;
      return before || (found === MARKS && undone)
        ? undefined
        : `${found} links, world.undone in the journal: ${undone}`;
    },
  },
  {
    name: "restore",
    async prepare(place) {
      await makeMarkedWorld(place);
      await save(place);
      await mark(place.url, place.name, "mark-two");
    },
    strike: ({ url, name }) => must(url, "POST", `/w/${name}/_sandbox/snapshots/${name}/restore`),
    async verify({ url, name, confirmed }) {
      const first = await marks(url, name, "mark-one");
      const second = await marks(url, name, "mark-two");
      const told = await journalHas(url, name, "world.restored");
      const before = second === MARKS && !told && !confirmed;
      const whole = first === MARKS && (before || (second === 0 && told));
      return whole ? undefined : `${first} and ${second} links, world.restored in the journal: ${told}`;
    },
  },
  { name: "snapshot", prepare: makeMarkedWorld, strike: save, verify: wholeSnapshot },
  {
    name: "upload",
    async prepare(place) {
      const { url, name } = place;
      await makeMarkedWorld(place);
      await save(place);
      uploads.set(name, await download(url, name));
      await must(url, "DELETE", `/_sandbox/snapshots/${name}`);
    },
    strike: ({ url, name }) =>
      must(url, "POST", `/_sandbox/snapshots/upload?name=${name}`, uploads.get(name)!),
    verify: wholeSnapshot,
  },
];

/** The bytes that each round uploads. */
const uploads = new Map<string, Uint8Array<ArrayBuffer>>();
