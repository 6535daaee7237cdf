import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { listenAt } from "../../runtime/listen.ts";
import { loadOnce } from "../../runtime/load-once.ts";
import type { Authority } from "./authority.ts";
import type { Crossings } from "./crossing.ts";
import { type Place, placeText } from "./hosts.ts";
import type { Effect } from "./services.ts";

/** An e-mail that a server sent over SMTP. */
export interface TakenMail {
  to: string;
  subject: string;
  text: string;
}

/** Receives the e-mails that a server sends over SMTP. */
export interface MailServer {
  /**
   * Receives the e-mails of a connection.
   * @param isSecure whether the connection started with TLS, which is terminated before this server
   * @param name what reports call the place
   */
  serve(socket: Socket, place: Place, isSecure: boolean, name?: string): Promise<void>;
}

export interface MailOptions {
  authority: Authority;
  crossings: Crossings;
  /** Called for each e-mail. @param name the mail server that it was sent to */
  taken(name: string, mail: TakenMail): void;
}

/** The ports of mail servers. On 465, the connection starts with TLS. */
export const MAIL_PORTS = [25, 465, 587, 2525];

/** SMTP statuses for a service that fails, and for one that is called too often. */
const FAILED = { fail: 451, limit: 452 };

export function createMailServer({ authority, crossings, taken }: MailOptions): MailServer {
  // Most handlers send no e-mail over SMTP.
  const smtp = loadOnce(() => import("smtp-server"));

  /** Receives an e-mail and responds to its sender. */
  async function take(socket: Socket, name: string, bytes: Buffer, to: string[]): Promise<void> {
    const crossing = crossings.begin(`MAIL ${name}`, once(socket, "close"));
    const how = await crossing.passed;
    if (how === "disconnect") return void socket.destroy();
    if (how !== "pass") {
      await crossing.end(String(FAILED[how]));
      throw Object.assign(new Error("Try again later"), { responseCode: FAILED[how] });
    }
    const { mail, effect } = await readMail(bytes, to);
    taken(name, mail);
    crossing.happen(effect);
    if (!(await crossing.end("250"))) socket.destroy();
  }

  return {
    async serve(socket, place, isSecure, name = placeText(place)) {
      socket.pause();
      const [{ SMTPServer }, certificate] = await Promise.all([smtp.get(), authority.issue(place.host)]);
      const server = new SMTPServer({
        ...certificate,
        ...{ secure: isSecure, secured: isSecure, logger: false },
        // Any login is accepted, and none is required.
        ...{ authOptional: true, allowInsecureAuth: true, disableReverseLookup: true },
        authMethods: ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2"],
        onAuth: (_auth, _session, give) => give(null, { user: "anybody" }),
        onData(stream, session, give) {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          void buffer(stream)
            .then((bytes) => take(socket, name, bytes, to))
            .then(() => give(), give);
        },
      });
      server.on("error", () => undefined);
      server.connect(socket, {});
    },
  };
}

/**
 * Receives e-mails on a loopback port, for servers that read their mail server's address from variables.
 * @param name the name of such a variable, for reports
 */
export async function openMailPort(mail: MailServer, name: string): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    void mail.serve(socket, { host: "127.0.0.1", port }, false, name);
  });
  const port = await listenAt(server.unref(), { port: 0, host: "127.0.0.1" });
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** @param recipients the envelope's recipients, including those in Bcc */
async function readMail(
  bytes: Buffer,
  recipients: readonly string[],
): Promise<{ mail: TakenMail; effect: Effect }> {
  const { default: PostalMime } = await import("postal-mime");
  const { subject = "", text, html, from, attachments } = await PostalMime.parse(bytes);
  const to = recipients.join(", ");
  const mail = { to, subject, text: (text ?? html ?? "").trim() };
  const fields = {
    ...mail,
    ...(from?.address && { from: from.address }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ filename }) => filename) }),
  };
  const words = { thing: `the mail to ${to}`, done: "sent" };
  return { mail, effect: { service: "mail", key: `${to}: ${subject}`, words, fields } };
}
