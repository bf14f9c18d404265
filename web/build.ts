import { buildDashboard } from '../src/build-dashboard.ts';

await buildDashboard();
