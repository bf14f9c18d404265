import { IMPORT_BYTES } from '../src/server/thread-count.ts';
import { signUpToNew } from './batches.ts';
import { onBothEngines } from './engines.ts';
import { flag } from './flags.ts';
import { IMPORTS, measureImport } from './import-memory.ts';
import { type RunningDoorlist, startPackaged } from './processes.ts';
import { median } from './report.ts';

const SIGNUPS = 1_000_000;
const PRIVATE_BYTES_MAX = 200e6;
/** The second million may not add more than this: a heap that was collected a moment ago differs by as much. */
const GROWTH_BYTES_MAX = 20e6;
const STARTS = 5;
const WIDTH = 52;
const START_MS_MAX = 1_000;

/**
 * Memory of the server's own, after a million signups with metadata and after a second one, and how long
 * it takes to start on them. Then what an import of a million people adds to a server.
 */
export function benchMemory(): Promise<boolean> {
  const signups = flag('signups', SIGNUPS);
  const rows = flag('rows', SIGNUPS);
  return onBothEngines(async (engine, environment, newInstallation) => {
    const doorlist = await startPackaged(environment);
    try {
      process.stdout.write(`\nPrivate memory on ${engine}\n`);
      print('ready', doorlist.privateMemory());
      await signUpToNew(doorlist, 'wl_first', signups);
      const first = doorlist.privateMemory();
      const isSmall = print(`after ${signups} signups`, first, PRIVATE_BYTES_MAX);
      await signUpToNew(doorlist, 'wl_second', signups);
      const isFlat = print(`after ${signups} more`, doorlist.privateMemory(), first + GROWTH_BYTES_MAX);
      const isPrompt = await startsPromptly(doorlist);
      return (await importsStaySmall(rows, newInstallation)) && isPrompt && isSmall && isFlat;
    } finally {
      await doorlist.stop();
    }
  });
}

/** With the threads that the machine gives, and each on a server of its own. */
async function importsStaySmall(
  rows: number,
  newInstallation: () => Promise<Record<string, string>>,
): Promise<boolean> {
  const verdicts: boolean[] = [];
  for (const what of IMPORTS) {
    const doorlist = await startPackaged(await newInstallation());
    try {
      const { before, peak } = await measureImport(doorlist, rows, what);
      verdicts.push(print(`import of ${rows}, ${what}`, peak - before, IMPORT_BYTES));
    } finally {
      await doorlist.stop();
    }
  }
  return verdicts.every(Boolean);
}

/** The files that it loads were read before. */
async function startsPromptly(doorlist: RunningDoorlist): Promise<boolean> {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start += 1) times.push(await doorlist.restart());
  const ms = median(times);
  const isPrompt = ms <= START_MS_MAX;
  process.stdout.write(
    `  ${'start to ready'.padEnd(WIDTH)}${Math.round(ms)} ms  at most ${START_MS_MAX} ms  ${isPrompt ? 'ok' : 'OVER'}\n`,
  );
  return isPrompt;
}

function print(what: string, bytes: number, most = Number.POSITIVE_INFINITY): boolean {
  const megabytes = (number: number) => `${Math.round(number / 1e6)} MB`;
  const bar = most === Number.POSITIVE_INFINITY ? '' : `  at most ${megabytes(most)}`;
  const verdict = bar === '' ? '' : bytes <= most ? '  ok' : '  OVER';
  process.stdout.write(`  ${what.padEnd(WIDTH)}${megabytes(bytes)}${bar}${verdict}\n`);
  return bytes <= most;
}
