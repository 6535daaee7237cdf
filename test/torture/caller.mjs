import { readFileSync } from "node:fs";
import { request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** A separate thread makes the calls one after another, so nothing else in this process can delay them. */
const { pid, url, path, pause } = workerData;

/**
 * How long the server's main thread has run, in milliseconds; if the system does not report it, real time is used
 * instead.
 */
function worked() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

const call = () =>
  new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer sk_sandbox_write" };
    request(url + path, { headers }, (response) => response.resume().on("end", resolve))
      .on("error", reject)
      .end();
  });

let over = false;
parentPort.once("message", () => {
  over = true;
});
const waits = [];
while (!over || waits.length === 0) {
  const began = worked();
  await call();
  waits.push(worked() - began);
  await new Promise((resolve) => setTimeout(resolve, pause));
}
parentPort.postMessage(waits);
