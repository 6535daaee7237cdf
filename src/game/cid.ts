import { createHash } from "node:crypto";

/** The content id of bytes: what an IPFS node would call them. */
export type CidOf = (text: string) => string;

/** Numbers of the multiformats table. */
const RAW = 0x55;
const SHA2_256 = 0x12;

let loaded: CidOf | undefined;

/** Makes content ids: at once when it was loaded before, else as a promise, so that start-up does not wait for it. */
export function loadCidOf(): CidOf | Promise<CidOf> {
  return loaded ?? load();
}

/** CIDv1, raw, SHA-256 of a text in UTF-8; written in base32. */
async function load(): Promise<CidOf> {
  const [{ CID }, digest] = await Promise.all([
    import("multiformats/cid"),
    import("multiformats/hashes/digest"),
  ]);
  loaded = (text) =>
    CID.createV1(RAW, digest.create(SHA2_256, createHash("sha256").update(text).digest())).toString();
  return loaded;
}
