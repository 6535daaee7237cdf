import { format } from "node:util";

/**
 * The process of `warm-cli.ts`: runs the built command line once for each message, in this process. The command's first file
 * reads arguments and ends the process itself; here its end ends the command.
 */
const { exit, env } = process;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const output = { stdout: "", stderr: "" };
let runs = 0;

for (const name of ["stdout", "stderr"])
  process[name].write = (text, ...rest) => {
    output[name] += text;
    rest.find((one) => typeof one === "function")?.();
    return true;
  };

process.on("disconnect", () => exit());
process.on("message", async ({ cli, args, cwd, env: own }) => {
  Object.assign(output, { stdout: "", stderr: "" });
  process.chdir(cwd);
  process.env = own;
  process.argv = [process.execPath, cli, ...args];
  const code = await new Promise((resolve) => {
    process.exit = resolve;
    // The query makes Node run the first file again; what that imports is loaded already.
    runs += 1;
    import(`${cli}?run=${runs}`).catch((error) => {
      output.stderr += format(error);
      resolve(1);
    });
  });
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error");
  process.env = env;
  process.send({ code, ...output });
});
