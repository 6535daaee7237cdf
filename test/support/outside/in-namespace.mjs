// Runs in a separate network (`unshare -rnm`), in which names below .test resolve to a listener that simulates the
// outside. Prints how many connections arrive there from a bare client, and how many from the server that a command
// starts.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { DIRECT, installed, NODE, OTHERS } from "./clients.mjs";

const [, , ...command] = process.argv;
const run = promisify(execFile);
// Write a file that replaces the system's hosts file.
const names = Object.keys({ ...NODE, ...OTHERS, ...DIRECT }).map((name) => `198.51.100.7 ${name}.test`);
writeFileSync("hosts", ["127.0.0.1 localhost", ...names, ""].join("\n"));
let connections = 0;
const outside = createServer((_, response) => response.end("outside"));
outside.on("connection", () => {
  connections += 1;
});
outside.listen(8080, "198.51.100.7");
await once(outside, "listening");
await run("curl", ["-s", "http://curl.test:8080"]);
const bare = connections;
const { stdout } = await run(process.execPath, command).catch((error) => error);
console.log(JSON.stringify({ bare, led: connections - bare, stdout, names: Object.keys(installed()) }));
process.exit();
