import path from 'node:path';
import { buildProgram } from '../../build/program.ts';

const ROOT = path.join(import.meta.dirname, '../..');
/** What tests start as processes of their own. */
const SCRIPTS = {
  main: 'src/main.ts',
  'next-release': 'test/support/next-release.ts',
  'outbox-process': 'test/support/outbox-process.ts',
  'serve-process': 'test/support/serve-process.ts',
};

/** For the processes that this one starts: hundreds of starts take a quarter of the time. */
export async function buildScripts(): Promise<void> {
  if (process.env.DOORLIST_TEST_PROGRAM !== undefined) return; // Others are running it.
  const directory = path.join(ROOT, 'dist.tests');
  const { main: _, ...otherEntries } = SCRIPTS;
  await buildProgram(directory, { otherEntries });
  process.env.DOORLIST_TEST_PROGRAM = directory;
}

/** As it was built, or its source in a test that runs without `test/run.ts`. */
export function scriptOf(name: keyof typeof SCRIPTS): string {
  const built = process.env.DOORLIST_TEST_PROGRAM;
  return built === undefined ? path.join(ROOT, SCRIPTS[name]) : path.join(built, `${name}.js`);
}
