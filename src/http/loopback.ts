const LOOPBACK_ADDRESS = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
/** Addresses and names that no website can have: no name of the public name service ends in a number. */
const LOCAL_NAME = /^(?:[^.]*|\[.*\]|.*\.(?:localhost|test|internal|\d+))$/;

/** Whether a host, as a URL or a Host header names it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}

/** Whether a peer is a program of this machine. The socket of a sandbox without a port has no address. */
export const isThisMachine = (address = "127.0.0.1"): boolean => LOOPBACK_ADDRESS.test(address);

/** Whether no website can have a host name. A website's own name could resolve to this machine. */
export const isLocalName = (hostname: string): boolean => LOCAL_NAME.test(hostname);

/** The host of a Host header, in the form that is compared. */
export const hostName = (host: string): string => host.replace(/:\d+$/, "").replace(/\.$/, "").toLowerCase();
