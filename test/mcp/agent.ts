import { Client, InMemoryTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { createAgentServer } from "../../src/cli/tools/mcp.ts";
import { BUILT_CLI } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import type { Json } from "../support/sandbox.ts";

export interface AgentOptions {
  /** The configuration that is written to the agent's folder. */
  config?: object;
  args?: string[];
}

/** Creates a folder with a configuration, which is removed after the test. */
export const projectWith = (config: object): string =>
  folderOf({ "sandbox.config.json": JSON.stringify(config) });

/** Connects the official client to `sandglass mcp`, running in a separate process until the test ends. */
export async function startAgentProcess({ config = {}, args = [] }: AgentOptions = {}) {
  const { SANDGLASS_URL: _url, ...inherited } = process.env as Record<string, string>;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BUILT_CLI, "mcp", ...args],
    cwd: projectWith(config),
    env: inherited,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (data: Buffer) => {
    stderr += data.toString();
  });
  return { ...(await connect(transport)), stderr: () => stderr };
}

/** Connects the official client to the same server in this process, for the sandbox at a URL. */
export async function startAgent(url: string) {
  const [transport, other] = InMemoryTransport.createLinkedPair();
  const { server } = createAgentServer({ url });
  // Allow only JSON to be sent, as over a real connection.
  const send = other.send.bind(other);
  other.send = (message, options) => send(JSON.parse(JSON.stringify(message)), options);
  await server.connect(other);
  return connect(transport);
}

async function connect(transport: Transport) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());

  /** Calls a tool. Resolves with its result, or with the error that it reports. */
  async function request(name: string, input: Record<string, unknown> = {}) {
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: input });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return { result: structuredContent as Json, error: isError ? text : null };
  }

  return {
    client,
    request,
    /** Calls a tool and returns its result. Throws if the tool reports an error. */
    async call(name: string, input?: Record<string, unknown>): Promise<Json> {
      const { result, error } = await request(name, input);
      if (error !== null) throw new Error(error);
      return result;
    },
  };
}
