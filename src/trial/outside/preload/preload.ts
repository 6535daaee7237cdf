import { OUTSIDE } from "../variables.ts";
import { watchDescendants } from "./descendants.ts";
import { openLine } from "./line.ts";
import { answerNames } from "./names.ts";
import { redirectConnections } from "./sockets.ts";

/**
 * Loaded into a user's Node process before their code (NODE_OPTIONS of `--start`): connections that would leave the machine go to the
 * gateway of the trial. fetch, undici, http, https and http2 all connect through `net`, whichever agent they use, so nothing else in
 * the process is changed. Loaded by `--require`, it also runs in threads made from text, which `--import` leaves out.
 */

const address = process.env[OUTSIDE];
if (address) {
  const [port, token, ...path] = address.split(" ");
  const line = openLine(Number(port), token!);
  redirectConnections(line, answerNames(line));
  watchDescendants(path.join(" "));
}
