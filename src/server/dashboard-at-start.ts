import type { Log } from '../lib/log.ts';
import { buildDashboard, hasDashboard, isDashboardCurrent, whyNotBuildable } from './build-dashboard.ts';
import type { BuildState } from './thread-offers.ts';

export interface StartedBuild {
  state(): BuildState;
  /** When the state no longer changes. */
  readonly settled: Promise<void>;
  stop(): void;
}

/** In the background: the API does not wait for it, and works without it. */
export function buildDashboardIfNeeded(log: Log, wanted: boolean): StartedBuild {
  const stopping = new AbortController();
  const state: BuildState = { problem: undefined, building: false };
  const started = { state: () => state, stop: () => stopping.abort() };
  const settled = Promise.resolve();
  if (!wanted || isDashboardCurrent()) return { ...started, settled };
  const obstacle = whyNotBuildable();
  if (obstacle !== undefined) {
    state.problem = hasDashboard() ? undefined : obstacle;
    log.warn(
      { reason: obstacle },
      state.problem ? 'there is no dashboard' : 'the dashboard is older than its sources',
    );
    return { ...started, settled };
  }
  state.building = !hasDashboard();
  log.info({}, 'building the dashboard, which takes a few seconds');
  const build = buildDashboard(stopping.signal)
    .then(
      () => log.info({}, 'built the dashboard'),
      (error: Error) => {
        if (stopping.signal.aborted) return;
        state.problem = hasDashboard()
          ? undefined
          : 'not built, because the build failed. The log has the reason.';
        log.error({ reason: error.message }, 'could not build the dashboard; the API works without it');
      },
    )
    .finally(() => {
      state.building = false;
    });
  return { ...started, settled: build };
}
