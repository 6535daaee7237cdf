/**
 * Commands that hints mention, with the equivalent tool, and the tool's input that corresponds to the command's
 * argument.
 */
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

/**
 * Matches a command with an argument at the end of a sentence. Commands with flags do not match, because the tool may
 * not support these.
 */
const COMMANDS = Object.entries(TOOL_OF).map(([command, [tool, input]]) => ({
  pattern: new RegExp(
    `npx sandglass ${command}${input ? "(?: (?!-)(\\S+?))?" : "()"}(?=$|\\n|[.,)](?:\\s|$))`,
    "g",
  ),
  words: (argument = "") =>
    `the tool ${tool}${argument && ` with ${JSON.stringify({ [input!]: argument })}`}`,
}));

/**
 * Rewrites text from the command line for tools: commands become equivalent tools, and flags become inputs of the
 * called tool. Commands without an equivalent are kept, because agents can run them.
 * @param inputs the inputs of the called tool, by name
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
