import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { explore } from "../../src/index.ts";
import { runCli } from "../support/cli.ts";
import { acmeFile, serveLastWins, shop } from "./senders.ts";

test("a saved finding contains its events and the name of its sender, and the configuration specifies the sender's file", async () => {
  const sender = acmeFile();
  const cwd = dirname(sender);
  const { url, flags } = await serveLastWins();
  const found = await runCli(["explore", url, "--sender", "./acme.yaml", ...flags], { cwd });
  const [, path] = /^Saved as (\S+)\.$/m.exec(found.stdout)!;
  expect(readFileSync(join(cwd, path!), "utf8")).toMatch(
    /\nstory: acme\nsender: acme\nevents: \[order\.created, order\.paid@20s\]\nschedule: /,
  );
  const run = () => runCli(["run", path!, "--subscriber", url, ...flags.slice(0, 6)], { cwd });
  expect(await run()).toMatchObject({ code: 3, stdout: expect.stringContaining("There is no sender acme.") });
  writeFileSync(join(cwd, "sandbox.config.json"), JSON.stringify({ senders: ["./acme.yaml"] }));
  expect(await run()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^failed .*acme: lost@1/) });
});

test("explore lists ids that a handler may look up if it cannot see the handler's statements", async () => {
  const { options } = shop(() => undefined);
  const events = "customer.subscription.updated,invoice.paid";
  await expect(
    explore({ ...options, subscriber: () => new Response(), sender: "stripe", events }),
  ).rejects.toMatchObject({
    hint: expect.stringContaining("such as sub_1QhLi6B7WZ01zgkWmJfd9KvQ, cus_RaXg1o8vlGDgPx,"),
  });
});
