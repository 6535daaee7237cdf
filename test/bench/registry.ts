import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Serves one packed package the way a registry does, and redirects all other requests to a real registry. This is
 * needed because npm unpacks a tarball from a file three times, but one from a registry only once.
 * @param upstream the URL of the real registry, with a trailing slash
 */
export async function serveRegistry(
  tarball: string,
  upstream: string,
): Promise<{ url: string; close: () => void }> {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { name: string; version: string };
  const { name, version } = manifest;
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const server = createServer((request, response) => {
    const path = request.url!.slice(1);
    const url = `http://${request.headers.host}/`;
    if (path === `${name}.tgz`) return void response.end(bytes);
    if (path !== name) return void response.writeHead(302, { location: upstream + path }).end();
    const { scripts: _scripts, ...published } = manifest as typeof manifest & { scripts: object };
    const dist = { tarball: `${url}${name}.tgz`, integrity };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: version },
        versions: { [version]: { ...published, dist } },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
