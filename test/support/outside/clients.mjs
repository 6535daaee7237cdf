// Clients that are part of Node or of the machine. Each of them calls a host that simulates an outside service, and
// resolves with the response.
import { execFile, execFileSync, spawnSync } from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { createRequire } from "node:module";
import net from "node:net";
import tls from "node:tls";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

const require = createRequire(import.meta.url);
const undici = require("undici");

async function textOf(stream) {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

const get = (client, url, options = {}) =>
  new Promise((resolve, reject) =>
    client.get(url, options, (answer) => textOf(answer).then(resolve, reject)).on("error", reject),
  );

async function overHttp2(origin) {
  const session = http2.connect(origin);
  session.on("error", () => undefined);
  const stream = session.request({ ":path": "/" });
  stream.end();
  const text = await textOf(stream);
  session.close();
  return text;
}

const byUndici = async (url, dispatcher) =>
  (await undici.request(url, { ...(dispatcher && { dispatcher }) })).body.text();

const CODE = (url) => `fetch("${url}").then((answer) => answer.text()).then(`;

/**
 * Clients by the name of the host that they call, without `.test`. @type {Record<string, (host: string, port: number)
 * => unknown>}
 */
export const NODE = {
  fetch: async (host, port) =>
    (await fetch(`https://${host}:${port}/`, { method: "POST", body: "{}" })).text(),
  "final-dot": async (host, port) => (await fetch(`https://${host}.:${port}/`)).text(),
  http: (host, port) => get(http, `http://${host}:${port}/`),
  https: (host, port) =>
    get(https, `https://${host}:${port}/`, { agent: new https.Agent({ keepAlive: true }) }),
  http2: (host, port) => overHttp2(`https://${host}:${port}`),
  h2c: (host, port) => overHttp2(`http://${host}:${port}`),
  undici: (host, port) => byUndici(`https://${host}:${port}`),
  "undici-agent": (host, port) => byUndici(`https://${host}:${port}`, new undici.Agent({ allowH2: true })),
  "undici-proxy": (host, port) =>
    byUndici(`https://${host}:${port}`, new undici.ProxyAgent(`http://proxy.${host}:${port}`)),
  "undici-env": (host, port) => byUndici(`https://${host}:${port}`, new undici.EnvHttpProxyAgent()),
  async "after-lookup"(host, port) {
    const { address } = await dns.promises.lookup(host);
    return get(http, `http://${address}:${port}/`, { headers: { host } });
  },
  async "tls-over-net"(host, port) {
    const socket = tls.connect({ socket: net.connect(port, host), servername: host });
    await once(socket, "secureConnect");
    socket.write("GET / HTTP/1.0\r\n\r\n");
    return (await textOf(socket)).split("\r\n\r\n")[1];
  },
  async "raw-socket"(host, port) {
    const socket = net.connect(port, host);
    socket.write("*1\r\n$4\r\nPING\r\n");
    await once(socket, "close");
  },
  async smtp(host) {
    const [bytes] = await once(net.connect(587, host), "data");
    return bytes;
  },
  datagram: (host, port) =>
    new Promise((resolve, reject) =>
      dgram.createSocket("udp4").send("1", port, host, (error) => (error ? reject(error) : resolve("sent"))),
    ),
  "srv-records": (host) => dns.promises.resolveSrv(host),
  child: (host, port) =>
    execFileSync(process.execPath, ["-e", `${CODE(`https://${host}:${port}`)}console.log)`], { env: {} }),
  "async-child": async (host, port) =>
    (
      await promisify(execFile)(process.execPath, ["-e", `${CODE(`https://${host}:${port}`)}console.log)`], {
        env: {},
      })
    ).stdout,
  async "eval-worker"(host, port) {
    const post = "(text) => require('worker_threads').parentPort.postMessage(text))";
    const options = { eval: true, env: {}, execArgv: [] };
    return (await once(new Worker(CODE(`https://${host}:${port}`) + post, options), "message"))[0];
  },
  async "file-worker"(host, port) {
    const options = { workerData: { worker: `https://${host}:${port}` } };
    return (await once(new Worker(new URL(import.meta.url), options), "message"))[0];
  },
};

/** Programs that use the proxy variables. @type {typeof NODE} */
export const OTHERS = {
  curl: (host, port) => execFileSync("curl", ["-s", `https://${host}:${port}`]),
  urllib: (host, port) =>
    python(`import urllib.request\nprint(urllib.request.urlopen("https://${host}:${port}").read().decode())`),
  requests: (host, port) => python(`import requests\nprint(requests.get("https://${host}:${port}").text)`),
  "requests-http": (host, port) =>
    python(`import requests\nprint(requests.post("http://${host}:${port}", data="{}").text)`),
  httpx: (host, port) => python(`import httpx\nprint(httpx.get("https://${host}:${port}").text)`),
  go: (host, port) => execFileSync("go", ["run", GO_FILE, `https://${host}:${port}`]),
  ruby: (host, port) =>
    execFileSync("ruby", ["-rnet/http", "-e", `puts Net::HTTP.get(URI("https://${host}:${port}/"))`]),
  "php-curl": (host, port) =>
    execFileSync("php", ["-r", `echo curl_exec(curl_init("https://${host}:${port}")) ? "" : "failed";`]),
};

/** Programs that ignore the proxy variables. @type {typeof NODE} */
export const DIRECT = {
  "python-socket": (host, port) =>
    python(`import socket
one = socket.create_connection(("${host}", ${port}))
one.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
print(one.makefile().read().split("\\n")[-1])`),
  smtplib: (host) =>
    python(`import smtplib
with smtplib.SMTP("${host}", 587) as server:
    print(server.sendmail("shop@acme.test", "ada@acme.test", "Subject: Order\\n\\nThank you"))`),
  "php-streams": (host, port) =>
    execFileSync("php", ["-r", `echo file_get_contents("http://${host}:${port}/");`]),
  java: (host, port) => execFileSync("java", [JAVA_FILE, `http://${host}:${port}/`]),
  "go-tcp": (host, port) => execFileSync("go", ["run", GO_TCP_FILE, `${host}:${port}`]),
  "ruby-socket": (host, port) =>
    execFileSync("ruby", [
      ...["-rsocket", "-e"],
      `TCPSocket.open("${host}", ${port}) { |one| one.write("GET / HTTP/1.0\\r\\n\\r\\n"); puts one.read.split("\\r\\n\\r\\n").last }`,
    ]),
};

/**
 * The requirements of each client. The Debian packages are python3-requests, python3-httpx, golang-go, ruby, php-curl
 * and openjdk-17-jdk-headless.
 */
export const NEEDS = {
  curl: ["curl", "--version"],
  urllib: ["python3", "--version"],
  requests: ["/usr/bin/python3", "-c", "import requests"],
  "requests-http": ["/usr/bin/python3", "-c", "import requests"],
  httpx: ["/usr/bin/python3", "-c", "import httpx"],
  go: ["go", "version"],
  ruby: ["ruby", "-ropenssl", "-e", "0"],
  "php-curl": ["php", "-r", 'exit(function_exists("curl_init") ? 0 : 1);'],
  "python-socket": ["/usr/bin/python3", "--version"],
  smtplib: ["/usr/bin/python3", "--version"],
  "php-streams": ["php", "--version"],
  java: ["javac", "--version"],
  "go-tcp": ["go", "version"],
  "ruby-socket": ["ruby", "--version"],
};

/** The clients that are installed on this machine. */
export const installed = (clients = OTHERS) =>
  Object.fromEntries(
    Object.entries(clients).filter(([name]) => {
      const [program, ...args] = NEEDS[name];
      return spawnSync(program, args).status === 0;
    }),
  );

const GO_FILE = new URL("get.go", import.meta.url).pathname;
const GO_TCP_FILE = new URL("tcp.go", import.meta.url).pathname;
const JAVA_FILE = new URL("Get.java", import.meta.url).pathname;
// Use Debian's own Python, which has the packages.
const python = (code) => execFileSync("/usr/bin/python3", ["-c", code]);

/** Runs clients one after another. @returns the response that each of them got, or its error */
export async function callAll(clients, port) {
  const answers = {};
  for (const [name, call] of Object.entries(clients))
    answers[name] = await Promise.resolve(call(`${name}.test`, port)).then(
      (text) => String(text ?? "").trim(),
      (error) => `Error: ${error.cause?.message ?? error.message}`,
    );
  return answers;
}

const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
if (workerData?.worker)
  parentPort.postMessage(await NODE.fetch(...new URL(workerData.worker).host.split(":")));
