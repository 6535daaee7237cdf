// Clients from npm packages, which .ci/run installs in the folder that CLIENTS names.
import https from "node:https";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.CLIENTS ?? process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const send = (options) =>
  require("nodemailer")
    .createTransport(options)
    .sendMail({ from: "shop@acme.test", to: "ada@acme.test", subject: "Order", text: "Thank you" })
    .then(({ accepted }) => `accepted for ${accepted}`);

/** Calls a service without its description, by sending and receiving raw bytes. */
function callGrpc(target, secure) {
  const { Client, credentials } = require("@grpc/grpc-js");
  const client = new Client(target, secure ? credentials.createSsl() : credentials.createInsecure());
  const plain = (bytes) => bytes;
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest("/acme.Orders/Add", plain, plain, Buffer.alloc(0), (error, answer) =>
      error ? reject(error) : resolve(`a message of ${answer.length} bytes`),
    ),
  );
}

/** Clients by the name of the host that they call. @type {Record<string, (host: string, port: number) => unknown>} */
export const PACKAGES = {
  axios: async (host, port) =>
    JSON.stringify((await require("axios").post(`https://${host}:${port}`, {})).data),
  "axios-direct": async (host, port) =>
    JSON.stringify((await require("axios").get(`https://${host}:${port}`, { proxy: false })).data),
  got: async (host, port) => (await load("got")).default(`https://${host}:${port}`).text(),
  "got-http2": async (host, port) =>
    (await load("got")).default(`https://${host}:${port}`, { http2: true, dnsCache: true }).text(),
  ky: async (host, port) => (await load("ky")).default(`https://${host}:${port}`).text(),
  "node-fetch": async (host, port) =>
    (await (await load("node-fetch")).default(`https://${host}:${port}`)).text(),
  "proxy-agent": async (host, port) => {
    const { HttpsProxyAgent } = await load("https-proxy-agent");
    return new Promise((resolve, reject) =>
      https
        .get(
          `https://${host}:${port}`,
          { agent: new HttpsProxyAgent(`https://proxy.${host}:${port}`) },
          (answer) => {
            answer.setEncoding("utf8").once("data", resolve);
          },
        )
        .on("error", reject),
    );
  },
  nodemailer: (host) => send({ host, port: 587 }),
  "nodemailer-tls": (host) => send({ host, port: 465, secure: true }),
  grpc: (host, port) => callGrpc(`${host}:${port}`, true),
  "grpc-plain": (host, port) => callGrpc(`dns:///${host}:${port}`, false),
};
