import nodeModule from "node:module";
import { EVERYWHERE, OUTSIDE } from "../variables.ts";
import { watchDescendants } from "./descendants.ts";
import { openLine } from "./line.ts";
import { answerNames } from "./names.ts";
import { redirectConnections, refuseDatagrams, watchListening } from "./sockets.ts";

/**
 * Loaded into a user's Node process before their code (NODE_OPTIONS of `--start`). Connections that would leave the machine,
 * or those to the listed places, go to the gateway. fetch, undici, http, https and http2 all connect through `net`,
 * whichever agent they use, so nothing else in the process is changed. Loaded with `--require`, it also runs in threads
 * created from a string, which `--import` skips.
 */

const address = process.env[OUTSIDE];
if (address) {
  const [port, token, only = "", ...path] = address.split(" ");
  const line = openLine({ port: Number(port), token: token! });
  const places = only.split(",");
  const names = answerNames(line, places);
  redirectConnections(line, names, places);
  if (places.includes(EVERYWHERE)) {
    watchListening((at) => {
      line.listen(at);
      // A process that is killed does not store its compiled code on exit. Node before 22.10 lacks this function.
      setImmediate(() => nodeModule.flushCompileCache?.());
    });
    refuseDatagrams(line, names);
  }
  watchDescendants(path.join(" "));
}
