import type { CommandSpec } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** Commands about the command line itself. */
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
];
