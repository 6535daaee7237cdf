import { describe, expect, test } from "vitest";
import { callFromFar, FAR, type FarRequest, NEAR, withoutNetwork } from "../support/two-ends.ts";

/**
 * A caller on another machine: its connection comes from an address outside loopback, whatever its Host header says.
 */

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
  `callers on another machine${withoutNetwork ? ` (skipped: ${withoutNetwork})` : ""}`,
  () => {
    test("a remote caller cannot pose as a local one with any Host header, and can reach only its own address and listed hosts [fidelity: Data › Control API]", () => {
      const config = { allowedHosts: ["sandbox.internal"], webhooks: { allowHttpHosts: [NEAR] } };
      const requests = HOSTS.flatMap((host) => [
        { method: "GET", path: "/_sandbox/status", headers: { host } },
        { method: "GET", path: "/", headers: { host } },
        { method: "GET", path: "/platform/api/v1/payment-links", headers: { ...KEY, host } },
      ]);
      const { answers, received } = callFromFar(config, [
        ...requests,
        register("http://127.0.0.1:{near}/admin"),
        register("http://localhost:{near}/admin"),
        register(`http://${NEAR}:9/webhooks`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([
        ...HOSTS.flatMap(() => [403, 403, 200]),
        ...[400, 400, 201],
      ]);
      expect(answers[0]!.body.error).toMatchObject({
        code: "forbidden",
        message: `The control API only responds to this machine, not to ${FAR}.`,
      });
      expect(received).toEqual({ far: 0, near: 0 });
    });

    test("a shared sandbox requires its token from a remote caller, whatever the Host header says", () => {
      const config = { share: true, webhooks: { allowHttpHosts: [FAR, NEAR] } };
      const holder = { "x-sandbox-token": TOKEN };
      const status = (headers: Record<string, string>) => ({
        method: "GET",
        path: "/_sandbox/status",
        headers,
      });
      const create = (headers: Record<string, string>) => ({
        method: "POST",
        path: "/_sandbox/worlds",
        headers,
        body: { name: "mine", from: "./package.json" },
      });
      const { answers, received } = callFromFar(
        config,
        [
          register("http://127.0.0.1:{near}/admin", { ...KEY, host: "localhost" }),
          register(`http://${NEAR}:{near}/admin`),
          register(`http://${FAR}:{far}/webhooks`),
          sendTest,
          register("http://127.0.0.1:{near}/admin", { ...KEY, ...holder }),
          sendTest,
          create(holder),
          create({ ...holder, host: "localhost" }),
          ...HOSTS.flatMap((host) => [status({ host }), status({ host, ...holder })]),
        ],
        TOKEN,
      );
      expect(answers.map((answer) => answer.status)).toEqual([
        ...[400, 400, 201, 200, 201, 200, 403, 403],
        ...HOSTS.flatMap(() => [403, 200]),
      ]);
      expect(answers[0]!.body.error.message).toContain(`your own address (${FAR})`);
      expect([answers[3]!.body.success, answers[5]!.body.success]).toEqual([true, true]);
      expect(received).toEqual({ far: 1, near: 1 });
      for (const { body } of answers.slice(6, 8))
        expect(body.error.message).toContain("a request from another machine cannot refer to files");
    });
  },
);
