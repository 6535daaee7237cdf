/** CLI commands mentioned in hints, with the equivalent tool and the input for the command's argument. */
export const TOOL_OF: Readonly<Record<string, readonly [tool: string, input?: string]>> = {
  status: ["status"],
  links: ["status"],
  webhooks: ["status"],
  "webhooks list": ["status"],
  "webhooks timeline": ["timeline", "endpoint"],
  "webhooks retry": ["retry_failed", "delivery"],
  "webhooks retry --failed": ["retry_failed"],
  "listen --forward-to": ["create_endpoint", "url"],
  pay: ["pay", "target"],
  advance: ["advance", "by"],
  resend: ["resend", "id"],
  send: ["send_event", "type"],
  reset: ["reset"],
  undo: ["undo"],
  "snapshot save": ["save_snapshot", "name"],
  "snapshot restore": ["restore_snapshot", "name"],
  "run --list": ["scenarios"],
  check: ["check_subscriber", "url"],
};

/** Matches commands with their argument at the end of a sentence. The tool may not support other flags. */
const COMMANDS = Object.entries(TOOL_OF).map(([command, [tool, input]]) => ({
  pattern: new RegExp(
    `npx sandglass ${command}${input ? "(?: (?!-)(\\S+?))?" : "()"}(?=$|\\n|[.,)](?:\\s|$))`,
    "g",
  ),
  words: (argument = "") =>
    `the tool ${tool}${argument && ` with ${JSON.stringify({ [input!]: argument })}`}`,
}));

/**
 * Rewrites CLI text for tools: commands become equivalent tools, and flags become inputs of the called tool. Commands
 * without an equivalent stay, because agents can run them.
 * @param inputs the called tool's inputs, by name
 */
export function inToolWords(text: string, inputs: object): string {
  const withTools = COMMANDS.reduce(
    (sentence, { pattern, words }) => sentence.replace(pattern, (_, argument?: string) => words(argument)),
    text,
  );
  return withTools.replace(/--([a-z-]+)/g, (flag, name: string) => {
    const field = name.replaceAll("-", "_");
    return field in inputs ? field : flag;
  });
}
