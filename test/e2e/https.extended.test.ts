import { describe, expect, test } from "vitest";
import { runBuiltCli, startCli } from "../support/built.ts";
import { secureFolder, startSecureSubscriber } from "./https.ts";

describe("the configured CA", () => {
  test("check, explore and capture trust the configured CA", async () => {
    const { cwd } = secureFolder();
    const subscriber = await startSecureSubscriber();
    const secret = ["--secret", "whsec_test"];
    const checked = await runBuiltCli(["check", subscriber.url, ...secret, "--only", "duplicate"], { cwd });
    expect(checked.stdout).toMatch(/valid-event/);
    const delivered = subscriber.received.length;
    const subject = ["--state", subscriber.url, "--reset", subscriber.url];
    const explored = await runBuiltCli(
      ["explore", subscriber.url, ...secret, ...subject, "--story", "checkout"],
      { cwd },
    );
    expect(explored.stderr).not.toContain("TLS");
    expect(subscriber.received.length).toBeGreaterThan(delivered);
    const capture = startCli(["capture", "0", "--forward-to", subscriber.url], { cwd });
    const [, url] = await capture.saw(/(http:\/\/127\.0\.0\.1:\d+)/);
    expect((await fetch(url!, { method: "POST", body: "{}" })).status).toBe(200);
  });
});
