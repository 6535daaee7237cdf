import { request as send } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";

/** Fetches without decompressing. */
function read(url: string, accepted: string | undefined, others: Record<string, string> = {}) {
  return new Promise<{ encoding: string | undefined; vary: string | undefined; bytes: Buffer }>(
    (resolve, reject) => {
      const headers = { ...others, ...(accepted !== undefined && { "accept-encoding": accepted }) };
      send(url, { headers }, (response) => {
        const { "content-encoding": encoding, vary } = response.headers;
        const chunks: Buffer[] = [];
        response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () => resolve({ encoding, vary, bytes: Buffer.concat(chunks) }));
      })
        .on("error", reject)
        .end();
    },
  );
}

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync };

test("documents, references, reports and the page's files are compressed for clients that accept that", async () => {
  const sandbox = await startSandbox();
  const index = await (await fetch(`${sandbox.url}/`)).text();
  const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(index)![1]!;
  for (const path of ["/platform/openapi.json", "/game/reference", "/_sandbox/report.html", script]) {
    const plain = await read(sandbox.url + path, undefined);
    expect(plain, path).toMatchObject({
      encoding: undefined,
      vary: expect.stringContaining("accept-encoding"),
    });
    // Asked for twice: the second answer is the same.
    for (const [accepted, encoding] of [
      ["gzip, deflate, br, zstd", "br"],
      ["gzip;q=0.5, BR ; q=0", "gzip"],
      ["gzip, br", "br"],
    ] as const) {
      const small = await read(sandbox.url + path, accepted);
      expect(small, path).toMatchObject({ encoding, vary: expect.stringContaining("accept-encoding") });
      expect(small.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(DECODE[encoding](small.bytes).equals(plain.bytes), path).toBe(true);
    }
    for (const accepted of ["identity", "gzip;q=0, br;q=0.0", "deflate", "*;q=x", ","])
      expect((await read(sandbox.url + path, accepted)).encoding, accepted).toBeUndefined();
  }
});

test("a font is sent as it is: it is compressed already", async () => {
  const { url } = await startSandbox();
  const { encoding, bytes } = await read(`${url}/assets/inter.woff2`, "gzip, br");
  expect([encoding, bytes.subarray(0, 4).toString()]).toEqual([undefined, "wOF2"]);
});

test("a compressed answer that also depends on the origin says both in Vary", async () => {
  const sandbox = await startSandbox({ allowedOrigins: ["http://localhost:5173"] });
  expect(await read(`${sandbox.url}/_sandbox/report.html`, "gzip")).toMatchObject({
    vary: "Origin, accept-encoding",
  });
});

test("large answers of the control API are compressed for browsers alone", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const url = `${sandbox.url}/_sandbox/game/players`;
  expect((await read(url, "gzip, br")).encoding).toBeUndefined();
  const asPage = { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" };
  const answer = await read(url, "gzip, br", asPage);
  expect(answer.encoding).toBe("gzip");
  expect(JSON.parse(gunzipSync(answer.bytes).toString()).data).toHaveLength(60);
  expect((await read(url, "identity", asPage)).encoding).toBeUndefined();
});

test("answers that fit into one packet are sent as they are", async () => {
  const sandbox = await startSandbox();
  expect(await read(`${sandbox.url}/icon.svg`, "gzip, br")).toMatchObject({ encoding: undefined });
});
