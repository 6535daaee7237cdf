import { crc32 } from "node:zlib";

const SIGNATURE = 8;

interface Chunk {
  type: string;
  data: Buffer;
}

/**
 * Creates an animated PNG from pictures of the same size. Browsers and GitHub can show it.
 * @param frames PNG files, each with the number of milliseconds to show it
 */
export function movingPicture(frames: readonly { png: Buffer; shown: number }[]): Buffer {
  const [first] = frames;
  if (!first) throw new Error("A moving picture needs a frame.");
  const head = chunksOf(first.png).find(({ type }) => type === "IHDR")!;
  let sequence = 0;
  const parts = [
    first.png.subarray(0, SIGNATURE),
    write(head),
    write({ type: "acTL", data: integers(frames.length, 0) }),
  ];
  for (const [index, { png, shown }] of frames.entries()) {
    const chunks = chunksOf(png);
    if (!chunks[0]!.data.equals(head.data))
      throw new Error(`Frame ${index} has another size than the first.`);
    const delay = Buffer.alloc(6);
    delay.writeUInt16BE(shown, 0);
    delay.writeUInt16BE(1_000, 2);
    const size = head.data.subarray(0, 8);
    parts.push(
      write({ type: "fcTL", data: Buffer.concat([integers(sequence), size, integers(0, 0), delay]) }),
    );
    sequence += 1;
    for (const { data } of chunks.filter(({ type }) => type === "IDAT")) {
      if (index === 0) {
        parts.push(write({ type: "IDAT", data }));
        continue;
      }
      parts.push(write({ type: "fdAT", data: Buffer.concat([integers(sequence), data]) }));
      sequence += 1;
    }
  }
  return Buffer.concat([...parts, write({ type: "IEND", data: Buffer.alloc(0) })]);
}

function integers(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

function write({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([integers(data.length), body, integers(crc32(body))]);
}
