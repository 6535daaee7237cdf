import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readCapture } from "../../src/capture/capture-file.ts";
import { startCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { startSubscriber } from "../support/subscriber.ts";

const post = (url: string, body: string) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });

it("capture prints and stores each request, and appends to its file when it is restarted after a kill", async () => {
  const subscriber = await startSubscriber();
  const cwd = folderOf();
  const start = async (...args: string[]) => {
    const to = subscriber.url.replace("http://", "");
    const cli = startCli(["capture", "0", "--forward-to", to, "--out", "shop.ndjson", ...args], { cwd });
    const [, url = ""] = await cli.saw(/(http:\/\/127\.0\.0\.1:\d+)\b/);
    return { cli, url };
  };
  const stored = () => readCapture(readFileSync(join(cwd, "shop.ndjson"), "utf8"), "it");

  const first = await start();
  await first.cli.saw(/forwards +to http:\/\/127\.0\.0\.1:\d+\/webhooks\nwrites +shop\.ndjson\n/);
  expect((await post(`${first.url}/from/sender`, '{"a": 1}')).status).toBe(200);
  await first.cli.saw(/\d\d:\d\d:\d\d.* +POST \/from\/sender +8 B +200\n/);
  first.cli.kill("SIGKILL");
  await first.cli.ended;
  expect(stored()).toMatchObject([{ path: "/from/sender", body: '{"a": 1}', status: 200 }]);

  subscriber.answer = 500;
  const second = await start("--json", "--redact", "body.email", "--redact", "body.customer.email");
  expect((await post(second.url, '{"email":"jane@shop.example"}')).status).toBe(500);
  const [line] = await second.cli.saw(/^\{"time".*\}$/m);
  expect(subscriber.received[1]!.body).toBe('{"email":"jane@shop.example"}');
  second.cli.kill("SIGINT");
  expect(await second.cli.ended).toMatchObject({
    code: 0,
    stderr: `--redact body.customer.email: this request contains nothing there. If the value also appears elsewhere in the request, it is still in the file.
1 request in shop.ndjson.
Redacted body.email: 1 of 1.
Redacted body.customer.email: 0 of 1. If the value also appears elsewhere in the request, it is still in the file.
`,
  });
  expect(stored()).toEqual([expect.objectContaining({ status: 200 }), { ...JSON.parse(line), line: 2 }]);
  expect(line).not.toContain("jane");
});

it("capture returns 507 for each request that does not fit on the disk, names the file and keeps running", async ({
  skip,
}) => {
  const disk = mountSmallDisk(64);
  if (disk === undefined) return skip("this user cannot mount a disk");
  const subscriber = await startSubscriber();
  const file = join(disk, "shop.ndjson");
  const cli = startCli(["capture", "0", "--forward-to", subscriber.url, "--out", file]);
  const [, url = ""] = await cli.saw(/(http:\/\/127\.0\.0\.1:\d+)\b/);
  const send = async () => (await post(url, JSON.stringify("x".repeat(20_000)))).status;
  const statuses: number[] = [];
  for (let sent = 0; sent < 5; sent += 1) statuses.push(await send());
  const bodies = () => readCapture(readFileSync(file, "utf8"), "it").length;
  expect(statuses).toEqual([200, 200, 200, 507, 507]);
  expect(bodies()).toBe(3);
  cli.kill("SIGINT");
  const { code, stderr } = await cli.ended;
  expect(code).toBe(0);
  expect(stderr.split("\n")).toEqual([
    ...Array(2).fill(
      `POST / was forwarded, but not stored: Cannot write ${file}: no space left on device (ENOSPC).`,
    ),
    `3 requests in ${file}.`,
    "2 requests could not be stored and got 507.",
    "",
  ]);
});

it("capture names the invalid or missing argument", async () => {
  const run = (...args: string[]) => runCli(["capture", ...args]);
  expectMisuse(await run("4000"), /capture needs --forward-to/);
  expectMisuse(
    await run("4000x", "--forward-to", "localhost:3000"),
    /first argument must be a port from 0 to 65535, not '4000x'/,
  );
  expectMisuse(await run("0", "--forward-to", "ftp://a"), /--forward-to must be an http address/);
  expectMisuse(
    await run("0", "--forward-to", "localhost:1", "--redact", "email"),
    /--redact must be the path/,
  );
  const { url } = await startSubscriber();
  const { port } = new URL(url);
  expectMisuse(
    await run(port, "--forward-to", url, "--out", join(folderOf(), "a")),
    new RegExp(`Port ${port} is taken`),
  );
});
