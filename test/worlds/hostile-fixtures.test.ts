import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxError } from "../../src/errors/errors.ts";
import { serveCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { clientOf, startSandbox } from "../support/sandbox.ts";

const PRODUCTS = '{"products": [{"name": "Tea"}]}';

/** What is wrong with the fixtures in a folder that also contains a valid file. */
async function problemOf(folder: string): Promise<string> {
  writeFileSync(join(folder, "products.json"), PRODUCTS);
  const error = await startSandbox({ from: folder }).then(
    () => expect.fail("it began"),
    (thrown: SandboxError) => thrown,
  );
  expect(error).toMatchObject({ code: "invalid_fixtures", hint: expect.stringMatching(/^\S.*\.$/) });
  return error.message.replaceAll(folder, "fx");
}

const makeFifo = (path: string) => execFileSync("mkfifo", [path]);
const nested = (levels: number, [open, close]: string) =>
  `{"products": [{"metadata": ${open!.repeat(levels)}${close!.repeat(levels)}}]}`;
/** Nine levels with nine references each: 400 million values in 300 characters. */
const BOMB = Array.from(
  { length: 9 },
  (_, level) => `l${level}: &l${level} [${Array(9).fill(level === 0 ? "x" : `*l${level - 1}`)}]`,
).join("\n");

describe("fixtures from an untrusted repository", () => {
  test.each<[what: string, make: (folder: string) => unknown, message: RegExp]>([
    [
      "a link to a file outside",
      (folder) =>
        symlinkSync(join(folderOf({ "secret.json": PRODUCTS }), "secret.json"), join(folder, "a.json")),
      /^fx\/a\.json is a symbolic link out of the folder, to .*\/secret\.json\.$/,
    ],
    [
      "a link to an endless file",
      (folder) => symlinkSync("/dev/zero", join(folder, "a.yaml")),
      /^fx\/a\.yaml is a symbolic link out of the folder, to \/dev\/zero\.$/,
    ],
    [
      "a dangling link",
      (folder) => symlinkSync("nowhere.json", join(folder, "a.json")),
      /^fx\/a\.json is a symbolic link to a file that does not exist\.$/,
    ],
    ["a FIFO", (folder) => makeFifo(join(folder, "a.json")), /^fx\/a\.json is a FIFO, not a regular file\.$/],
    [
      "a socket",
      (folder) => {
        const server = createServer().listen(join(folder, "a.yml"));
        onTestFinished(() => void server.close());
      },
      /^fx\/a\.yml is a socket, not a regular file\.$/,
    ],
    [
      "files that are too large in total",
      (folder) => {
        writeFileSync(join(folder, "a.json"), "");
        truncateSync(join(folder, "a.json"), 65 * 1024 ** 2);
      },
      /^fx has 2 files with 65 MiB; the limit for fixtures is 1000 files with 64 MiB\.$/,
    ],
    [
      "YAML that is too large",
      (folder) => {
        writeFileSync(join(folder, "a.yaml"), "");
        truncateSync(join(folder, "a.yaml"), 9 * 1024 ** 2);
      },
      /^fx\/a\.yaml is 9 MiB; the limit is 8 MiB\.$/,
    ],
    [
      "anchors that multiply each other",
      (folder) => writeFileSync(join(folder, "a.yaml"), BOMB),
      /^fx\/a\.yaml expands its YAML anchors more than 1000 times\.$/,
    ],
    [
      "an anchor that contains itself",
      (folder) => writeFileSync(join(folder, "a.yaml"), "products: &a [*a]"),
      /^fx\/a\.yaml nests deeper than 100 levels\.$/,
    ],
    [
      "deeply nested JSON",
      (folder) => writeFileSync(join(folder, "a.json"), nested(50_000, "[]")),
      /^fx\/a\.json nests deeper than 100 levels\.$/,
    ],
    [
      "deeply nested YAML",
      (folder) => writeFileSync(join(folder, "a.yaml"), nested(10_000, "[]")),
      /^fx\/a\.yaml nests deeper than 100 levels\.$/,
    ],
  ])("a folder of fixtures is rejected because of %s", async (_what, make, message) => {
    const folder = folderOf();
    make(folder);
    expect(await problemOf(folder)).toMatch(message);
  });

  test("a folder of fixtures may contain internal links, YAML anchors and other kinds of files", async () => {
    const folder = folderOf({
      "a.yaml": `products: [${Array(500).fill("*tea")}]`.replace("*tea", "&tea {name: Tea}"),
      "_customers.json": `{"customers": [{"name": "Ada", "wallet_address": "0x${"1".repeat(40)}"}]}`,
    });
    symlinkSync("_customers.json", join(folder, "b.json"));
    symlinkSync("/dev/zero", join(folder, "notes.md"));
    makeFifo(join(folder, "pipe"));
    const sandbox = await startSandbox({ from: folder });
    expect((await sandbox.api("GET", "/products")).body.total_count).toBe(500);
    expect((await sandbox.api("GET", "/customers")).body.total_count).toBe(1);
  });
});

test("a snapshot that a call refers to must be a regular file", async () => {
  const cwd = folderOf();
  makeFifo(join(cwd, "world.sandglass"));
  const before = process.cwd();
  process.chdir(cwd);
  onTestFinished(() => process.chdir(before));
  const sandbox = await startSandbox();
  const answer = await sandbox.control("POST", "/worlds", { from: "world.sandglass" });
  expectRefusal(answer, 400, "bad_request");
  expect(answer.body.error.message).toBe("world.sandglass is a FIFO, not a regular file.");
});

test("the server handles other requests while a world is created from many rows", async () => {
  const cwd = folderOf();
  mkdirSync(join(cwd, "many"));
  const rows = Array.from({ length: 5_000 }, (_, index) => ({ name: `Product ${index}` }));
  writeFileSync(join(cwd, "many/products.json"), JSON.stringify({ products: rows }));
  mkdirSync(join(cwd, "bad"));
  writeFileSync(join(cwd, "bad/products.json"), JSON.stringify({ products: [...rows, { name: 5 }] }));
  const { url } = await serveCli([], { cwd, env: { SANDGLASS_CACHE: "off" } });
  const client = clientOf(url);
  const order: string[] = [];
  const note = <Result>(what: string, call: Promise<Result>) => call.finally(() => order.push(what));
  const [made] = await Promise.all([
    note("the world", client.control("POST", "/worlds", { name: "many", from: "many" })),
    note("another call", client.control("GET", "/clock")),
  ]);
  expect(made.status, made.text).toBe(201);
  expect(order).toEqual(["another call", "the world"]);
  const { body } = await clientOf(made.body.url).api("GET", "/products");
  expect(body.total_count).toBe(5_000);

  const bad = await client.control("POST", "/worlds", { name: "bad", from: "bad" });
  expect({ status: bad.status, error: bad.body.error }).toMatchObject({
    status: 400,
    error: { code: "invalid_fixtures", message: expect.stringMatching(/products\[5000\]\.name must be/) },
  });
});
