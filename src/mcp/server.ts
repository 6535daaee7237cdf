import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { SandboxError } from "../errors/errors.ts";
import { inPackage } from "../runtime/package.ts";
import { inputSchema } from "./input-schema.ts";
import type { Tool, Toolbox } from "./tool.ts";
import { inToolWords } from "./tool-words.ts";
import { testTools } from "./tools/tests.ts";
import { webhookTools } from "./tools/webhooks.ts";
import { worldTools } from "./tools/world.ts";

export const TOOLS: readonly Tool[] = [...worldTools, ...webhookTools, ...testTools];

const INSTRUCTIONS = `Sandglass emulates a payments platform with signed webhooks, a chain-data proxy and a game launcher on this machine, on a virtual clock. Nothing real is paid.
Call status first. To see retries, make a subscriber fail, pay a link, then advance the clock: retries follow after 1 minute, 10 minutes and 1 hour, and 10 consecutive failures disable an endpoint.
Everything happens in one world that people may be using too: undo brings back what reset or restore_snapshot replaced. Times are virtual.
To find the delivery schedule that breaks a handler, run the command npx sandglass explore <url> --state <source> --json; npx sandglass explore --help explains it.`;

/**
 * The sandbox as a Model Context Protocol server. See docs/agents.md.
 * @param version the version of Sandglass
 */
export function createMcpServer(toolbox: Toolbox, version: string): McpServer {
  const server = new McpServer(
    { name: "sandglass", title: "Sandglass", version },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, title, description, effect, reachesOut, input, output, run } of TOOLS)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: inputSchema(input),
        outputSchema: fromJsonSchema(output),
        annotations: {
          readOnlyHint: effect === "reads",
          destructiveHint: effect === "ends",
          openWorldHint: reachesOut,
        },
      },
      async (values, { mcpReq }) => {
        const inWords = (text: string) => inToolWords(text, input.properties);
        try {
          const result = await run(toolbox, values, { signal: mcpReq.signal, inWords });
          return {
            // Repeat the result as text for clients that do not read structured results.
            content: [{ type: "text", text: JSON.stringify(result) }],
            structuredContent: result as Record<string, unknown>,
          };
        } catch (error) {
          if (!(error instanceof SandboxError)) throw error;
          const text = inWords(`${error.message}\n${error.hintFor("command")}`.trim());
          return { content: [{ type: "text", text }], isError: true };
        }
      },
    );
  addResources(server, toolbox);
  return server;
}

const CONTRACTS = {
  platform: { path: "/platform/openapi.json", title: "The payments API" },
  data: { path: "/data/openapi.json", title: "The chain-data API" },
  game: { path: "/game/openapi.json", title: "The game launcher API" },
  control: { path: "/_sandbox/openapi.json", title: "The sandbox's own control API" },
};

function addResources(server: McpServer, { sandbox }: Toolbox): void {
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
