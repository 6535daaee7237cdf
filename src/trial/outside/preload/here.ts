import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Outside } from "../outside.ts";
import { openLine } from "./line.ts";
import { answerNames } from "./names.ts";
import { redirectConnections } from "./sockets.ts";

/**
 * Redirects this process's connections to the listed places to a gateway, and trusts its certificates for that time.
 * @returns a function that stops this; open connections end with the gateway
 */
export function routeHere(
  { gateway, certificate }: Pick<Outside, "gateway" | "certificate">,
  only: readonly string[],
): () => void {
  const line = openLine(gateway);
  const names = answerNames(line, only);
  const restore = redirectConnections(line, names, only);
  setDefaultCACertificates([...getCACertificates("default"), certificate]);
  return () => {
    restore();
    names.close();
    line.close();
    const isOther = (one: string) => one.trim() !== certificate.trim();
    setDefaultCACertificates(getCACertificates("default").filter(isOther));
  };
}
