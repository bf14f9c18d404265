import { buildDashboard } from '../src/server/build-dashboard.ts';

await buildDashboard();
