import { expect, test } from "vitest";
import { startBuilt } from "../support/built.ts";
import { clientOf } from "../support/sandbox.ts";
import { runToEnd } from "../support/scenarios.ts";
import { passed, passWithSubscriber, results, WITH_INBOX } from "./shipped.ts";

test("every shipped scenario passes with a correct subscriber and other parameters", async () => {
  expect(WITH_INBOX.length).toBeGreaterThanOrEqual(9);
  const params = { reason: "reverted", minutes: 5, failure: "timeout" };
  const flags = Object.entries(params).flatMap(([key, value]) => ["--param", `${key}=${value}`]);
  await passWithSubscriber(WITH_INBOX, flags);
});

test("a run over HTTP accepts each parameter of the shipped scenarios", async () => {
  const server = clientOf(await startBuilt(["--port", "0", "--seed", "empty"]));
  const offered = [
    ...["timed_out", "rejected"].map((reason) => ["failed-payment", { reason }] as const),
    ["session-expiry", { minutes: 1440 }] as const,
  ];
  const others = Promise.all(offered.map(([name, params]) => runToEnd(server, name, { params })));
  expect(results((await others).map(({ report }) => report))).toEqual(passed(offered.map(([name]) => name)));
});
