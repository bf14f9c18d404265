/** A row of a table: what was measured, the baseline, and the ratio it must reach. */
export interface Row {
  what: string;
  measured: number;
  limit: number;
  atLeast: number;
  unit: string;
  /** Printed below it. */
  note?: string;
}

export function printTable(title: string, rows: Row[]): boolean {
  const cells = rows.map(({ what, measured, limit, atLeast, unit }) => {
    const ratio = measured / limit;
    return [
      what,
      `${Math.round(measured)} ${unit}`,
      `${Math.round(limit)} ${unit}`,
      ratio.toFixed(2),
      `>= ${atLeast.toFixed(2)}`,
      ratio >= atLeast ? 'ok' : 'SHORT',
    ];
  });
  const table = [['', 'doorlist', 'limit', 'ratio', 'bar', ''], ...cells];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  process.stdout.write(`\n${title}\n`);
  for (const [index, row] of table.entries()) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    const note = rows[index - 1]?.note;
    process.stdout.write(`  ${line.trimEnd()}\n${note ? `      ${note}\n` : ''}`);
  }
  return cells.every((row) => row.at(-1) === 'ok');
}

/** The median of several runs, so that one slow moment of the machine does not decide. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
