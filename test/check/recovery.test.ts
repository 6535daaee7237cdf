import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { listenAt } from "../../src/runtime/listen.ts";
import type { CheckOptions } from "../../src/trial/check/check.ts";
import { createOutput } from "../../src/trial/subject/output.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import { listenForTest } from "../support/listen.ts";
import { SECRET } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";

type Fault = "answers 500" | "ends" | "ends late" | undefined;
const hmac = (body: string) => createHmac("sha256", SECRET).update(body).digest("hex");

/**
 * Starts a handler that verifies requests, remembers events, and can be restarted by a trial, but has faults.
 * @param faultOf returns the fault for a body, given how many events were handled since the start; once the handler has
 * responded with 500, it does so until a restart
 */
async function startFaulty(faultOf: (body: string, handled: number) => Fault) {
  let seen = new Set<string>();
  let fault: Fault;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const end = (status: number) => void response.writeHead(status).end();
    if (request.method !== "POST") return end(405);
    if (request.headers["x-platform-signature"] !== hmac(body)) return end(401);
    if (seen.has(body)) return end(200);
    fault ??= faultOf(body, seen.size);
    if (fault === undefined && !body.startsWith("{")) return end(400);
    if (fault === "ends" || fault === "ends late") {
      if (fault === "ends") server.close();
      return void request.socket.destroy();
    }
    if (fault === undefined) seen.add(body);
    return end(fault === undefined ? 200 : 500);
  });
  const port = await listenForTest(server);
  const url = `http://127.0.0.1:${port}/webhooks`;
  async function restart(): Promise<void> {
    seen = new Set();
    fault = undefined;
    if (!server.listening) await listenAt(server, { port, host: "127.0.0.1" });
  }
  const owned = {
    output: createOutput(),
    begin() {},
    hasEnded() {
      if (fault === "ends late") server.close();
      return !server.listening;
    },
    ports: () => [],
    isListening: () => true,
    restart,
    crash: restart,
    close: restart,
  };
  const subject = remoteSubject({
    url,
    stateUrl: null,
    resetBy: null,
    timeout: 10_000,
    around: { server: owned },
  });
  return {
    check: (options: Partial<CheckOptions> = {}) => tryReceiver({ url, stateUrl: "" }, options),
    checkOwned: (options: Partial<CheckOptions> = {}) =>
      tryReceiver({ url, stateUrl: "" }, { ...options, subject }),
  };
}

const tired =
  (limit: number): ((body: string, handled: number) => Fault) =>
  (_body, handled) =>
    handled < limit ? undefined : "answers 500";

/** The verdicts without those that stay unknown because there is no state. */
const shownOf = (report: Awaited<ReturnType<typeof tryReceiver>>) => {
  const { unknown: _, ...shown } = verdictsOf(report);
  return shown;
};

describe("check after a failed hazard", () => {
  test("check reports a single failure if a server rejects all events after the sixth, and skips the hazards that it cannot judge", async () => {
    const { check } = await startFaulty(tired(6));
    const report = await check();
    const { fail, skipped } = shownOf(report);
    expect(fail).toEqual(["valid-event"]);
    expect(report.hazards[0]!.summary).toMatch(/^After 6 events, it responds with 500 to valid ones/);
    expect(new Set(report.hazards.flatMap((one) => (one.verdict === "skipped" ? one.summary : [])))).toEqual(
      new Set(["It returned 500, as it does to valid events, which proves nothing."]),
    );
    expect(skipped).toEqual(expect.arrayContaining(["crlf", "unicode", "duplicate", "reordered-events"]));
  });

  test("check restarts a server that rejects valid events, and judges every hazard", async () => {
    const { checkOwned } = await startFaulty(tired(7));
    expect(shownOf(await checkOwned())).toEqual({ fail: ["valid-event"] });
  });

  test("check blames a hazard that breaks the server again after a restart, and still judges the others", async () => {
    for (const fault of ["answers 500", "ends"] as const) {
      const { checkOwned } = await startFaulty((body) => (body.includes("\\u0000") ? fault : undefined));
      const report = await checkOwned();
      expect(shownOf(report)).toEqual({ fail: ["null-character"] });
    }
  });

  test("check names the hazard that crashes the server, even if its port closes later than its connections", async () => {
    for (const fault of ["ends", "ends late"] as const) {
      const { checkOwned } = await startFaulty((body) => (body.startsWith("{") ? undefined : fault));
      const report = await checkOwned({ only: ["not-an-event"] });
      expect(report.hazards.map(({ verdict, summary }) => [verdict, summary]).at(-1)).toEqual([
        "fail",
        "It stopped the server, and did so again after a restart.",
      ]);
    }
  });

  test("check still judges forgeries after the first hazard crashed the server", async () => {
    const { checkOwned } = await startFaulty((_body, handled) => (handled === 1 ? "ends" : undefined));
    const report = await checkOwned({ only: ["wrong-signature", "unicode"] });
    expect(shownOf(report)).toEqual({ fail: ["valid-event"] });
  });

  test("check skips a hazard that needs more events than the server accepts", async () => {
    const { checkOwned } = await startFaulty(tired(2));
    const report = await checkOwned({ only: ["unicode", "split-character"] });
    expect(shownOf(report)).toEqual({ fail: ["valid-event"], skipped: ["split-character"] });
  });
});
