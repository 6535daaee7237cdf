import { number } from "../models/format.ts";
import { Button } from "./parts.tsx";

interface PagerProps {
  page: number;
  size: number;
  total: number;
  onPage: (page: number) => void;
}

/** From page to page of a list. */
export function Pager({ page, size, total, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size));
  const from = total === 0 ? 0 : (page - 1) * size + 1;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="note" role="status">
        {number(from)} to {number(Math.min(page * size, total))} of {number(total)}
      </span>
      <div class="actions">
        <Button icon="left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Newer
        </Button>
        <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
          Older
        </Button>
      </div>
    </nav>
  );
}
