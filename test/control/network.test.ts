import { describe, expect, test } from "vitest";
import { callFromFar, FAR, type FarRequest, NEAR, withoutNetwork } from "../support/two-ends.ts";

/** A caller on another machine: its connection has an address that is not loopback, whatever its Host header says. */

const TOKEN = "a-token-that-the-tests-have-chosen";
const KEY = { authorization: "Bearer sk_sandbox_write" };
const HOSTS = ["localhost", "127.0.0.1", "[::1]", "x.localhost", "sandbox.internal", NEAR];

const register = (url: string, headers: Record<string, string> = KEY): FarRequest => ({
  method: "POST",
  path: "/platform/api/v1/webhooks",
  headers,
  body: { url },
});
const sendTest: FarRequest = { method: "POST", path: "/platform/api/v1/webhooks/{id}/test", headers: KEY };

describe.skipIf(withoutNetwork)(
  `from another machine${withoutNetwork ? ` (skipped: ${withoutNetwork})` : ""}`,
  () => {
    test("no Host header makes a caller this machine [fidelity: Data › Control API]", () => {
      const config = { allowedHosts: ["sandbox.internal"] };
      const requests = HOSTS.flatMap((host) => [
        { method: "GET", path: "/_sandbox/status", headers: { host } },
        { method: "GET", path: "/", headers: { host } },
        { method: "GET", path: "/platform/api/v1/payment-links", headers: { ...KEY, host } },
      ]);
      const { answers } = callFromFar(config, requests);
      expect(answers.map(({ status }) => status)).toEqual(HOSTS.flatMap(() => [403, 403, 200]));
      expect(answers[0]!.body.error).toMatchObject({
        code: "forbidden",
        message: `The control API answers this machine only, not ${FAR}.`,
      });
    });

    test("a shared sandbox wants its token, whatever the Host header says", () => {
      const status = (headers: Record<string, string>) => ({
        method: "GET",
        path: "/_sandbox/status",
        headers,
      });
      const { answers } = callFromFar(
        { share: true },
        HOSTS.flatMap((host) => [status({ host }), status({ host, "x-sandbox-token": TOKEN })]),
        TOKEN,
      );
      expect(answers.map((answer) => answer.status)).toEqual(HOSTS.flatMap(() => [403, 200]));
    });

    test("a guest has inboxes and its own address called, and nothing else", () => {
      const config = { share: true, webhooks: { allowHttpHosts: [FAR, NEAR] } };
      const { answers, received } = callFromFar(
        config,
        [
          register("http://127.0.0.1:{near}/admin", { ...KEY, host: "localhost" }),
          register(`http://${NEAR}:{near}/admin`),
          register(`http://${FAR}:{far}/webhooks`),
          sendTest,
          register("http://127.0.0.1:{near}/admin", { ...KEY, "x-sandbox-token": TOKEN }),
          sendTest,
        ],
        TOKEN,
      );
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 201, 200, 201, 200]);
      expect(answers[0]!.body.error.message).toContain(`your own address (${FAR})`);
      expect([answers[3]!.body.success, answers[5]!.body.success]).toEqual([true, true]);
      expect(received).toEqual({ far: 1, near: 1 });
    });

    test("so has a caller of a sandbox that is not shared, with the listed hosts", () => {
      const config = { webhooks: { allowHttpHosts: [NEAR] } };
      const { answers, received } = callFromFar(config, [
        register("http://127.0.0.1:{near}/admin"),
        register("http://localhost:{near}/admin"),
        register(`http://${NEAR}:9/webhooks`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 201]);
      expect(received).toEqual({ far: 0, near: 0 });
    });

    test("names no file to begin a world with, token or not", () => {
      const create = (headers: Record<string, string>) => ({
        method: "POST",
        path: "/_sandbox/worlds",
        headers,
        body: { name: "mine", from: "./package.json" },
      });
      const { answers } = callFromFar(
        { share: true },
        [create({ "x-sandbox-token": TOKEN }), create({ "x-sandbox-token": TOKEN, host: "localhost" })],
        TOKEN,
      );
      for (const { status, body } of answers) {
        expect(status).toBe(403);
        expect(body.error.message).toContain("another machine may name none");
      }
    });
  },
);
