import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";
import { shellWord } from "../../src/runtime/shell.ts";
import { runWarmCli } from "./warm-cli.ts";

/**
 * Creates a shell function that replaces `npx sandglass` until the test ends. The command runs in the process of
 * `runWarmCli`, with the shell's folder and exported variables, and the shell gets its output and exit code.
 */
export async function warmNpx(): Promise<string> {
  const server = createServer((socket) => {
    let sent = "";
    socket.setEncoding("utf8").on("data", async (text: string) => {
      sent += text;
      const request = parseRequest(sent);
      if (!request) return;
      const { code, stdout, stderr } = await runWarmCli(request.args, request);
      socket.end(`printf %s ${shellWord(stdout)}\nprintf %s ${shellWord(stderr)} >&2\nreturn ${code}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `npx() {
  [ "$1" = sandglass ] || return 127
  shift
  local reply
  exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}
  { printf '%s\\0' "$PWD" $# "$@"; env -0; printf '\\0'; } >&3
  reply=$(cat <&3)
  exec 3>&-
  eval "\${reply:?sandglass $1 did not end}"
}
`;
}

/**
 * Parses the folder, the number of arguments, the arguments, the variables, and an empty string, each followed by a
 * zero byte; undefined if the text is incomplete.
 */
function parseRequest(text: string) {
  const [cwd, count, ...rest] = text.split("\0");
  const variables = rest.slice(Number(count));
  if (cwd === undefined || variables.length < 3 || variables.at(-2) !== "") return undefined;
  const env = Object.fromEntries(
    variables.slice(0, -2).map((variable) => {
      const at = variable.indexOf("=");
      return [variable.slice(0, at), variable.slice(at + 1)];
    }),
  );
  return { cwd, args: rest.slice(0, Number(count)), env };
}
