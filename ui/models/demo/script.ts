/** A piece of a line: as it is, or a name on the page. */
export interface Piece {
  text: string;
  /** What is clicked, or the view that it is in. */
  kind: "text" | "button" | "view";
}

export interface DemoStep {
  /** When, from the beginning: `0:25`. */
  at: string;
  click: Piece[];
  say: string;
}

const ROW = /^\|\s*(\d+:\d\d)\s*\|(.*)\|(.*)\|\s*$/;
const NAMES = /\*\*([^*]+)\*\*|_([^_]+)_/g;

/** The steps of docs/demo.md: the rows of its table. */
export function readScript(markdown: string): DemoStep[] {
  return markdown.split("\n").flatMap((line) => {
    const row = ROW.exec(line);
    return row ? [{ at: row[1]!, click: piecesOf(row[2]!.trim()), say: row[3]!.trim() }] : [];
  });
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(NAMES)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), kind: "text" });
    const [whole, button, view] = match;
    pieces.push(button === undefined ? { text: view!, kind: "view" } : { text: button, kind: "button" });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), kind: "text" });
  return pieces;
}
