import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { McpServer } from "@modelcontextprotocol/server";
import { inPackage } from "../runtime/package.ts";
import type { Toolbox } from "./tool.ts";

const CONTRACTS = {
  platform: { path: "/platform/openapi.json", title: "The payments API" },
  data: { path: "/data/openapi.json", title: "The chain-data API" },
  game: { path: "/game/openapi.json", title: "The game launcher API" },
  control: { path: "/_sandbox/openapi.json", title: "The sandbox's own control API" },
};

export function addResources(server: McpServer, { sandbox }: Toolbox): void {
  const docs = inPackage("docs/");
  for (const name of readdirSync(docs, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".md")) continue;
    const page = name.split(sep).join("/");
    const markdown = () => readFileSync(join(docs, name), "utf8");
    server.registerResource(
      page,
      `sandglass://docs/${page}`,
      { title: titleOf(markdown()) ?? page, mimeType: "text/markdown" },
      (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/markdown", text: markdown() }] }),
    );
  }
  for (const [name, { path, title }] of Object.entries(CONTRACTS))
    server.registerResource(
      `openapi-${name}`,
      `sandglass://openapi/${name}.json`,
      { title, description: "OpenAPI 3.1.", mimeType: "application/json" },
      async (uri) => {
        const { body } = await (await sandbox()).request("GET", path);
        return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(body) }] };
      },
    );
}

const titleOf = (markdown: string): string | undefined => /^# (.+)$/m.exec(markdown)?.[1];
