import { buildDashboard } from '../src/server/build-dashboard.ts';
import { builtProgram } from './builds.js';
import { buildProgram, PROGRAM_DIRECTORY } from './program.ts';

/**
 * `npm run build`: the dashboard and the program, so that neither has to be built by a start, and the program as a package
 * has it instead of sources.
 */
await buildDashboard();
builtProgram();
await buildProgram(PROGRAM_DIRECTORY);
