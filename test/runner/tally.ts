import path from 'node:path';
import type { run } from 'node:test';

interface Failure {
  failureType?: string;
}

interface Skipped {
  test: string;
  reason: string;
}

/** Counts what a run reports, and knows what it left out. */
export function createTally() {
  const tested = new Set<string>();
  const skipped: Skipped[] = [];
  const tally = {
    passed: 0,
    failed: 0,

    follow(stream: ReturnType<typeof run>): void {
      stream.on('test:pass', ({ name, file = '', skip, details }) => {
        if (skip !== undefined) {
          tested.add(file).add(path.resolve(name)); // A file that is skipped whole is a suite of that name.
          skipped.push({
            test: nameOf(file, name),
            reason: typeof skip === 'string' ? skip : 'without a reason',
          });
        } else if (details.type === 'test') {
          tested.add(file);
          tally.passed += 1;
        }
      });
      stream.on('test:fail', ({ file = '', details: { type, error } }) => {
        if (type === 'test') tested.add(file);
        // A suite fails with its tests, which are counted, or by itself: its hook, or its import.
        if (type === 'test' || (error as Failure).failureType !== 'subtestsFailed') tally.failed += 1;
      });
    },

    /** A file in which no test was found counts as failed. */
    expect(files: readonly string[]): void {
      const untested = files.filter((file) => !tested.has(path.resolve(file)));
      for (const file of untested) console.error(`${file}: has no tests`);
      tally.failed += untested.length;
    },

    skippedTests(): string {
      const byReason = [...Map.groupBy(skipped, ({ reason }) => reason)];
      return byReason
        .map(([reason, tests]) => [`Skipped, ${reason}`, ...tests.map(({ test }) => `  ${test}`)].join('\n'))
        .join('\n');
    },

    closingLine(): string {
      const { passed, failed } = tally;
      return [
        `${passed} passed, ${failed} failed`,
        ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
      ].join(', ');
    },
  };
  return tally;
}

function nameOf(file: string, name: string): string {
  const place = path.relative(process.cwd(), file);
  return place.startsWith('..') ? name : `${place}: ${name}`;
}
