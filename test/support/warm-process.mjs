import { format } from "node:util";

/**
 * The process behind `warm-cli.ts`. It runs the built command line once for each message, in this process. The entry
 * file of the command line reads arguments and exits the process; here, this only ends the command.
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
    // The query makes Node run the entry file again. Its imports are already loaded.
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
