import { expect, test } from "vitest";
import { explain, failureSentence, judge, unanswered } from "../../src/webhooks/failures.ts";

const failed = (code: string, message = "it failed") => Object.assign(new Error(message), { code });

test.each([
  ["EHOSTUNREACH", "connection_refused", "cannot be reached from here (EHOSTUNREACH)"],
  ["ENOTFOUND", "dns", "has a host name that does not resolve (ENOTFOUND)"],
  ["CERT_HAS_EXPIRED", "tls", "does not make a trusted TLS connection (CERT_HAS_EXPIRED)"],
])("the error %s before the response headers is reported as %s", (code, error, detail) => {
  expect(explain(failed(code))).toEqual({ error, detail });
});

test.each([
  "Parse Error: Duplicate Content-Length",
  "Response does not match the HTTP/1.1 protocol (Duplicate Content-Length)",
])("the same HTTP violation is explained in the same words for every parser: %s", (message) => {
  expect(explain(failed("HPE_UNEXPECTED_CONTENT_LENGTH", message))).toEqual({
    error: "invalid_response",
    detail: "responded with invalid HTTP (Duplicate Content-Length)",
  });
});

test("the explanation of a failed delivery names the rule that the response violated", () => {
  const { error, detail } = judge(302, "/login");
  expect(failureSentence(error!, detail!)).toBe("Returned 302 to /login; redirects are not followed.");
  expect(failureSentence("timeout", unanswered(null, 30_000))).toBe("Did not respond within 30 s.");
});
