const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
const SINES = Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32));

/** The hex MD5 of a text in UTF-8, as request signatures of games take it (RFC 1321). Browsers have none. */
export function md5(text: string): string {
  const words = paddedWords(new TextEncoder().encode(text));
  let state: [number, number, number, number] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < words.length; at += 16) {
    const mixed = mix(state, words.subarray(at, at + 16));
    state = state.map((word, index) => (word + mixed[index]!) >>> 0) as typeof state;
  }
  const bytes = new DataView(new ArrayBuffer(16));
  for (const [index, word] of state.entries()) bytes.setUint32(index * 4, word, true);
  return Array.from(new Uint8Array(bytes.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The message, a one, zeros, and its length in bits; as little-endian words. */
function paddedWords(message: Uint8Array): Uint32Array {
  const length = ((message.length + 8) >> 6) * 64 + 64;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, message.length * 8, true);
  return Uint32Array.from({ length: length / 4 }, (_, index) => view.getUint32(index * 4, true));
}

function mix([a, b, c, d]: [number, number, number, number], block: Uint32Array) {
  for (let step = 0; step < 64; step += 1) {
    const round = step >> 4;
    const [chosen, index] = choose(round, step, b, c, d);
    const sum = (a + chosen + SINES[step]! + block[index]!) | 0;
    const shift = SHIFTS[round]![step % 4]!;
    [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
  }
  return [a, b, c, d] as const;
}

function choose(round: number, step: number, b: number, c: number, d: number): [word: number, index: number] {
  if (round === 0) return [(b & c) | (~b & d), step];
  if (round === 1) return [(d & b) | (~d & c), (5 * step + 1) % 16];
  if (round === 2) return [b ^ c ^ d, (3 * step + 5) % 16];
  return [c ^ (b | ~d), (7 * step) % 16];
}
