import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** Makes a name resolve to an address for the rest of a test, because only localhost resolves on every machine. */
export function resolveName(name: string, address: string): void {
  const real = dns.lookup;
  const fake = (asked: string, options: dns.LookupOptions, callback: (...answer: unknown[]) => void) => {
    if (asked !== name) return real(asked, options, callback);
    if (options.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
  dns.lookup = fake as typeof dns.lookup;
  syncBuiltinESMExports();
  onTestFinished(() => {
    dns.lookup = real;
    syncBuiltinESMExports();
  });
}
