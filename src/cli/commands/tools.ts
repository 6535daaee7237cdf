import type { CommandSpec } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** Commands that other tools use: shells and coding agents. */
export const TOOL_COMMANDS: CommandSpec[] = [
  {
    name: "completion",
    summary: "print a script with which a shell completes commands, flags and their values",
    args: [["<shell>", "bash, zsh or fish", SHELLS]],
    options: [],
    examples: [
      ['eval "$(sandglass completion bash)"', "in ~/.bashrc"],
      ["source <(sandglass completion zsh)", "in ~/.zshrc"],
      ["sandglass completion fish | source", "in ~/.config/fish/config.fish"],
    ],
    load: () => import("../completion/run.ts"),
  },
  {
    name: "mcp",
    summary: "offer the sandbox to a coding agent as tools, over standard input and output",
    options: [
      {
        flags: "--url <url>",
        summary: "the sandbox to use (default: as for pay, and one is started if none runs there)",
      },
      { flags: "--seed <text>", summary: "of a sandbox that it starts, as for start" },
      { flags: "--start-at <time>", summary: "of a sandbox that it starts, as for start" },
      { flags: "--paused", summary: "start with a paused clock, if it starts one" },
      { flags: "--rate <number>", summary: "of a sandbox that it starts, as for start" },
      { flags: "--config <file>", summary: "configuration (default: as for start)" },
    ],
    examples: [["npx sandglass mcp --paused", "as a server in an agent's configuration: see docs/agents.md"]],
    load: () => import("../mcp.ts"),
  },
];
