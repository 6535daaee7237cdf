import { once } from "node:events";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { loadOnce } from "../../runtime/load-once.ts";
import type { Authority } from "./authority.ts";
import type { Crossings } from "./crossing.ts";
import { type Place, placeText } from "./hosts.ts";
import type { Effect } from "./services.ts";

/** Takes the mails that a server sends by SMTP. */
export interface MailServer {
  /** Takes the mails of a connection. @param isSecure whether TLS has begun with the connection, and ends before this server */
  serve(socket: Socket, place: Place, isSecure: boolean): Promise<void>;
}

export interface MailOptions {
  authority: Authority;
  crossings: Crossings;
  /** Counts a mail that was taken. */
  count(place: Place): void;
}

/** Statuses of SMTP for a service that fails, and for one that is called too often. */
const FAILED = { fail: 451, limit: 452 };

export function createMailServer({ authority, crossings, count }: MailOptions): MailServer {
  // Most handlers send no mail by SMTP.
  const smtp = loadOnce(() => import("smtp-server"));

  /** Takes one mail, and answers its sender. */
  async function take(socket: Socket, place: Place, bytes: Buffer, to: string[]): Promise<void> {
    const crossing = crossings.begin(`MAIL ${placeText(place)}`, once(socket, "close"));
    const how = await crossing.passed;
    if (how === "disconnect") return void socket.destroy();
    if (how !== "pass") {
      await crossing.end(String(FAILED[how]));
      throw Object.assign(new Error("Try again later"), { responseCode: FAILED[how] });
    }
    count(place);
    crossing.happen(await mailEffect(bytes, to));
    if (!(await crossing.end("250"))) socket.destroy();
  }

  return {
    async serve(socket, place, isSecure) {
      socket.pause();
      const [{ SMTPServer }, certificate] = await Promise.all([smtp.get(), authority.issue(place.host)]);
      const server = new SMTPServer({
        ...certificate,
        ...{ secure: isSecure, secured: isSecure, logger: false },
        // Any login is right, and none is needed.
        ...{ authOptional: true, allowInsecureAuth: true, disableReverseLookup: true },
        authMethods: ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2"],
        onAuth: (_auth, _session, give) => give(null, { user: "anybody" }),
        onData(stream, session, give) {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          void bytesIn(stream)
            .then((bytes) => take(socket, place, bytes, to))
            .then(() => give(), give);
        },
      });
      server.on("error", () => undefined);
      server.connect(socket, {});
    },
  };
}

async function bytesIn(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** @param recipients of the envelope, which has those in Bcc, too */
async function mailEffect(bytes: Buffer, recipients: readonly string[]): Promise<Effect> {
  const { default: PostalMime } = await import("postal-mime");
  const { subject = "", text, html, from, attachments } = await PostalMime.parse(bytes);
  const to = recipients.join(", ");
  return {
    ...{ service: "mail", key: `${to}: ${subject}`, words: { thing: `the mail to ${to}`, done: "sent" } },
    fields: {
      ...{ to, subject, text: (text ?? html ?? "").trim() },
      ...(from?.address && { from: from.address }),
      ...(attachments.length > 0 && { attachments: attachments.map(({ filename }) => filename) }),
    },
  };
}
