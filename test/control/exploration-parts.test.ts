import { expect, test, vi } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import { startSandbox } from "../support/sandbox.ts";

const parts = vi.hoisted(() => ({ opened: 0, closed: 0 }));
vi.mock("../../src/explore/remote.ts", async (original) => {
  const { remoteSubject, ...rest } = await original<typeof import("../../src/explore/remote.ts")>();
  return {
    ...rest,
    remoteSubject(options: Parameters<typeof remoteSubject>[0]) {
      const subject = remoteSubject(options);
      parts.opened += 1;
      return {
        ...subject,
        close() {
          parts.closed += 1;
          subject.close();
        },
      };
    },
  };
});

test("an exploration that is refused leaves nothing open", async () => {
  const sandbox = await startSandbox();
  const urls = {
    subscriber: "http://127.0.0.1:9/",
    state: "http://127.0.0.1:9/",
    reset: "http://127.0.0.1:9/",
  };
  const start = (fields: object) =>
    sandbox.control("POST", "/explorations", { ...urls, secret: "whsec_test", ...fields });
  expectRefusal(await start({ budget: "soon" }), 400, "invalid_duration");
  expectRefusal(await start({ state: "ftp://127.0.0.1/" }), 400, "bad_request");
  expect(parts).toEqual({ opened: 0, closed: 0 });
  const { body } = await start({ budget: "1s" });
  await sandbox.control("GET", `/explorations/${body.id}?wait=1m`);
  expect(parts).toEqual({ opened: 1, closed: 1 });
});
