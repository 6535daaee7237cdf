import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

interface Answer {
  encoding: string | undefined;
  vary: string | undefined;
  body: Buffer;
}

/** A request whose answer is left as it was sent. */
function get(url: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const { "content-encoding": encoding, vary } = response.headers;
        resolve({ encoding, vary, body: Buffer.concat(parts) });
      });
    })
      .on("error", reject)
      .end();
  });
}

test("the page's files are sent compressed, the font as it is", async () => {
  const { url } = await startSandbox();
  const index = await get(`${url}/`, {});
  expect([index.encoding, index.vary]).toEqual([undefined, "accept-encoding"]);
  const [script] = /assets\/index-[\w-]+\.js/.exec(index.body.toString())!;
  const plain = await get(`${url}/${script}`, {});
  for (const encoding of ["br", "gzip"]) {
    const packed = await get(`${url}/${script}`, { "accept-encoding": encoding });
    expect(packed.encoding).toBe(encoding);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
  }
  const gzip = await get(`${url}/${script}`, { "accept-encoding": "gzip" });
  expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);

  const [styles] = /assets\/index-[\w-]+\.css/.exec(index.body.toString())!;
  const [font] = /inter-latin-[\w-]+\.woff2/.exec((await get(`${url}/${styles}`, {})).body.toString())!;
  const packed = await get(`${url}/assets/${font}`, { "accept-encoding": "br" });
  expect(packed.encoding).toBeUndefined();
  expect(packed.body.subarray(0, 4).toString()).toBe("wOF2");
});

test("large answers of the control API are compressed for browsers alone", async () => {
  const sandbox = await startSandbox();
  for (let count = 0; count < 30; count += 1)
    sandbox.sandbox.journal.append("fault.set", { target: "x".repeat(400) });
  const path = `${sandbox.url}/_sandbox/events`;
  const browser = { "accept-encoding": "gzip, br", "sec-fetch-mode": "cors" };
  const plain = await get(path, { "accept-encoding": "gzip, br" });
  const packed = await get(path, browser);
  expect([plain.encoding, packed.encoding]).toEqual([undefined, "gzip"]);
  expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  expect((await get(`${sandbox.url}/_sandbox/clock`, browser)).encoding).toBeUndefined();
});
