import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERROR_CONTRACT, type ErrorCode, expectError } from "../support/platform-errors.ts";
import { type Answer, startSandbox } from "../support/sandbox.ts";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const CODES = Object.keys(ERROR_CONTRACT) as ErrorCode[];

interface CurlCall {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** Splits a line into shell words: bare, or in single or double quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]!);
}

/**
 * The calls that a curl line on the page makes. A range in brackets stands for a series of calls, one for each number.
 */
function readCurl(line: string): CurlCall[] {
  const [command, ...rest] = words(line);
  expect(command).toBe("curl");
  const call: CurlCall = { method: "", url: "", headers: {} };
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === "-X") call.method = rest.shift()!;
    else if (word === "-d") call.body = rest.shift()!;
    else if (word === "-H") {
      const [name, value] = rest.shift()!.split(": ");
      call.headers[name!.toLowerCase()] = value!;
    } else {
      expect(word, line).toMatch(/^http:\/\/127\.0\.0\.1:4400\//);
      call.url = word.slice("http://127.0.0.1:4400".length);
    }
  }
  call.method ||= call.body === undefined ? "GET" : "POST";
  const range = /\[(\d+)-(\d+)\]/.exec(call.url);
  if (!range) return [call];
  const [first, last] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    ...call,
    url: call.url.replace(range[0], String(first + index)),
  }));
}

/** The sections of the page: each has an error code, and the calls that cause it. */
function sections(): Map<string, CurlCall[]> {
  const found = [...page.matchAll(/^### (\w+)$(.*?)(?=^### |$(?![\s\S]))/gms)];
  return new Map(
    found.map(([, code, text]) => {
      const blocks = [...text!.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);
      const lines = blocks.join("").replaceAll("\\\n", " ").trim().split("\n");
      return [code!, lines.flatMap(readCurl)];
    }),
  );
}

test("docs/errors.md lists every code once, with its type and status [fidelity: Payments platform › Errors]", async () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\d+) \|/gm)].map(([, code, type, status]) => [
    code,
    [type, Number(status)],
  ]);
  expect(Object.fromEntries(rows)).toEqual(ERROR_CONTRACT);
  expect(rows).toHaveLength(15);
  expect([...sections().keys()]).toEqual(CODES);

  const sandbox = await startSandbox();
  const { components } = (await sandbox.call("GET", "/platform/openapi.json")).body;
  const { type, code } = components.schemas.Error.properties.error.properties;
  expect(code.enum.sort()).toEqual([...CODES].sort());
  expect(type.enum.sort()).toEqual([...new Set(Object.values(ERROR_CONTRACT).map(([name]) => name))].sort());
});

test("each request in docs/errors.md causes its code in a sandbox with default settings [fidelity: Payments platform › Errors]", async () => {
  const sandbox = await startSandbox({
    seed: "sandglass",
    clock: { mode: "live" },
    payments: { rateLimit: 120 },
  });
  const met: Record<string, Answer> = {};
  for (const [code, calls] of sections()) {
    const answers: Answer[] = [];
    for (const { method, url, headers, body } of calls)
      answers.push(await sandbox.call(method, url, { headers, ...(body === undefined ? {} : { body }) }));
    const last = answers.pop()!;
    for (const earlier of answers)
      expect(earlier.body.error?.code ?? code, `${code}: ${earlier.text}`).toBe(code);
    expectError(last, code as ErrorCode, {}, `docs/errors.md, ${code}`);
    met[code] = last;
  }
  expect(Object.keys(met)).toEqual(CODES);

  const param = (code: ErrorCode) => met[code]!.body.error.param;
  expect(param("missing_required_field")).toBe("name");
  expect(param("invalid_field_value")).toBe("limit");
  expect(param("invalid_address")).toBe("token_address");
  expect(param("duplicate_resource")).toBe("code");
  expect(param("resource_not_found")).toBeUndefined();
  expect(met.rate_limit_exceeded!.headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
  expect(met.rate_limit_exceeded!.body.error.message).toContain(
    `${met.rate_limit_exceeded!.headers.get("retry-after")} seconds`,
  );
  expect(met.internal_error!.headers.get("x-sandbox-fault")).toBe("api");
  expect(page).toContain(JSON.stringify(met.invalid_address!.body.error.message));
});
