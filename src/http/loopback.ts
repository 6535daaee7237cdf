const LOOPBACK_ADDRESS = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
/** Matches addresses and names that no website can have: public domain names never end in a number. */
const LOCAL_NAME = /^(?:[^.]*|\[.*\]|.*\.(?:localhost|test|internal|\d+))$/;

/** Whether a host, from a URL or a Host header, is this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}

/** Whether a connection comes from a program on this machine. Sockets of a sandbox without a port have no address. */
export const isThisMachine = (address = "127.0.0.1"): boolean => LOOPBACK_ADDRESS.test(address);

/**
 * Whether a host name cannot belong to a website. A website's own name is not safe, because it could also resolve to
 * this machine.
 */
export const isLocalName = (hostname: string): boolean => LOCAL_NAME.test(hostname);

/** Normalizes the value of a Host header for comparison. */
export const hostName = (host: string): string => host.replace(/:\d+$/, "").replace(/\.$/, "").toLowerCase();
