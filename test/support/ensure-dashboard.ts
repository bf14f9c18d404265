import { buildDashboard, isDashboardCurrent } from '../../src/server/build-dashboard.ts';

/** Builds the dashboard, unless it has been built from these sources. */
export async function ensureDashboard(): Promise<void> {
  if (!isDashboardCurrent()) await buildDashboard();
}
