import { hash } from "node:crypto";
import { CID } from "multiformats/cid";
import { create } from "multiformats/hashes/digest";

/** Codes from the multiformats table. */
const RAW = 0x55;
const SHA2_256 = 0x12;

/** The content id of a UTF-8 string, as an IPFS node computes it: CIDv1, raw, SHA-256, base32. */
export const cidOf = (text: string): string =>
  CID.createV1(RAW, create(SHA2_256, hash("sha256", text, "buffer"))).toString();
