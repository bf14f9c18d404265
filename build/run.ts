import { buildDashboard } from '../src/server/build-dashboard.ts';
import { buildProgram, PROGRAM_DIRECTORY } from './program.ts';

/** `npm run build`: the dashboard, which a checkout needs, and the program, which a package needs instead of sources. */
await buildDashboard();
await buildProgram(PROGRAM_DIRECTORY);
