import type { ImportProgress } from '../waitlist/transfer/import/import-progress.ts';
import { progressLine } from './progress.ts';

const BAR_CHARACTERS = 24;
/** Often enough for a pipe or a log. */
const LINE_EVERY_MS = 5_000;

/** A bar on a terminal, lines in a log. On standard error, because standard output has only the result. */
export function transferProgress() {
  const watched = process.stderr.isTTY === true;
  let shown = false;
  let lastLineAt = performance.now();
  const show = (part: number, text: string) => {
    if (watched) {
      shown = true;
      const filled = Math.round(Math.min(1, part) * BAR_CHARACTERS);
      progressLine(`${'█'.repeat(filled)}${'░'.repeat(BAR_CHARACTERS - filled)} ${text}`);
    } else if (performance.now() - lastLineAt >= LINE_EVERY_MS) {
      lastLineAt = performance.now();
      process.stderr.write(`${Math.floor(part * 100)} %: ${text}\n`);
    }
  };
  return {
    rows: (progress: ImportProgress, part: number) => {
      const { phase, rows, created, skipped, failed } = progress;
      const counts = `${rows} rows: ${created} imported, ${skipped} duplicates, ${failed} invalid`;
      show(part, phase === 'rows' ? counts : `${counts}; linking referrals`);
    },
    entries: (written: number, total: number) => show(written / total, `${written} of ${total} entries`),
    people: (removed: number, total: number) => show(total === 0 ? 1 : removed / total, `${removed} removed`),
    say: (text: string) => process.stderr.write(`${text}\n`),
    end: () => {
      if (shown) process.stderr.write('\n');
      shown = false;
    },
  };
}
