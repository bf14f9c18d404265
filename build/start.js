// @ts-check
import { builtProgram } from './builds.js';

/** A debugger stops in the sources. `npm run dev` does not come here. */
const fromSources =
  Boolean(process.env.DOORLIST_SOURCES) ||
  /--inspect/.test(`${process.env.NODE_OPTIONS} ${process.execArgv.join(' ')}`);

/** What `bin/doorlist` runs in a checkout: the program as it was built from the sources, or else the sources. */
export const program = fromSources ? undefined : builtProgram();
await import(program?.main ?? '../src/main.ts');
