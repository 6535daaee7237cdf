/** If the threshold is higher than this, the cells are not drawn. */
const MOST_CELLS = 20;

/**
 * Shows the number of consecutive failures and, if there is one, the threshold that disables the endpoint: `7 / 10`.
 */
export function Counter({ value, threshold }: { value: number; threshold: number | null }) {
  return (
    <span class="counter" data-full={(threshold !== null && value >= threshold) || undefined}>
      <span class="counter-text">
        <b key={value}>{value}</b>
        {threshold === null ? "" : ` / ${threshold}`}
        <span class="vh"> {(threshold ?? value) === 1 ? "failure" : "failures"} in a row</span>
      </span>
      {threshold !== null && threshold <= MOST_CELLS && (
        <span class="cells" aria-hidden="true">
          {Array.from({ length: threshold }, (_, index) => (
            <i key={index} data-on={index < value || undefined} />
          ))}
        </span>
      )}
    </span>
  );
}
