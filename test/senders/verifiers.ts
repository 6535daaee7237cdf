import { createHmac } from "node:crypto";
import { verify as verifyGithub } from "@octokit/webhooks-methods";

/** A request, with the names of headers in lower case. */
export interface Signed {
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
  url: string;
}

/** Whether a sender's own verifier accepts a request. @param now seconds since the epoch */
type Verifier = (request: Signed, secret: string, now: number) => boolean | Promise<boolean>;

const hmac = (key: string | Buffer, text: string, encoding: "hex" | "base64") =>
  createHmac("sha256", key).update(text).digest(encoding);
const isFresh = (time: string | undefined, now: number, tolerance: number) =>
  time !== undefined && Math.abs(now - Number(time)) <= tolerance;
const parts = (header = "", separator = ",") => header.split(separator).map((part) => part.split(/=(.*)/s));

const standard =
  (prefix: string): Verifier =>
  ({ headers, body }, secret, now) => {
    const [id, time, signatures] = ["id", "timestamp", "signature"].map(
      (name) => headers[`${prefix}-${name}`],
    );
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return (
      isFresh(time, now, 300) &&
      signatures!.split(" ").includes(`v1,${hmac(key, `${id}.${time}.${body}`, "base64")}`)
    );
  };

/**
 * What each sender's documentation says that its verifiers do, written from that alone; GitHub's is its own package. `old`
 * is the age in seconds at which a signature is refused.
 */
export const VERIFIERS: Record<string, { accepts: Verifier; old?: number }> = {
  stripe: {
    old: 301,
    accepts({ headers, body }, secret, now) {
      const found = parts(headers["stripe-signature"]);
      const time = found.find(([name]) => name === "t")?.[1];
      const expected = hmac(secret, `${time}.${body}`, "hex");
      // Its packages refuse what is old, and take what is ahead of their clock.
      const isOld = time === undefined || now - Number(time) > 300;
      return !isOld && found.some(([name, value]) => name === "v1" && value === expected);
    },
  },
  github: {
    accepts: ({ headers, body }, secret) => verifyGithub(secret, body, headers["x-hub-signature-256"]!),
  },
  shopify: {
    accepts: ({ headers, body }, secret) => headers["x-shopify-hmac-sha256"] === hmac(secret, body, "base64"),
  },
  svix: { accepts: standard("svix"), old: 301 },
  "standard-webhooks": { accepts: standard("webhook"), old: 301 },
  paddle: {
    old: 6,
    accepts({ headers, body }, secret, now) {
      const found = parts(headers["paddle-signature"], ";");
      const time = found.find(([name]) => name === "ts")?.[1];
      const expected = hmac(secret, `${time}:${body}`, "hex");
      return isFresh(time, now, 5) && found.some(([name, value]) => name === "h1" && value === expected);
    },
  },
  square: {
    accepts: ({ headers, body, url }, secret) =>
      headers["x-square-hmacsha256-signature"] === hmac(secret, url + body, "base64"),
  },
  slack: {
    old: 301,
    accepts({ headers, body }, secret, now) {
      const time = headers["x-slack-request-timestamp"];
      return (
        isFresh(time, now, 300) &&
        headers["x-slack-signature"] === `v0=${hmac(secret, `v0:${time}:${body}`, "hex")}`
      );
    },
  },
};
