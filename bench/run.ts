import { cpus, loadavg } from 'node:os';
import { ensureDashboard } from '../test/support/ensure-dashboard.ts';
import { benchApi } from './api.ts';
import { benchDashboard } from './dashboard.ts';
import { benchEmails } from './emails.ts';
import { benchFairness } from './fairness.ts';
import { namesGiven } from './flags.ts';
import { benchFootprint } from './footprint.ts';
import { benchForm } from './form.ts';
import { benchFormTiming } from './form-timing.ts';
import { benchGate } from './gate.ts';
import { benchHostile } from './hostile.ts';
import { benchMemory } from './memory.ts';
import { benchMetrics } from './metrics.ts';
import { benchPeers } from './peers.ts';
import { benchQueue } from './queue.ts';
import { benchScale } from './scale.ts';
import { benchSearch } from './search.ts';
import { benchSoak } from './soak.ts';
import { benchTransfer } from './transfer.ts';
import { benchUpgrade } from './upgrade.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWorkers } from './workers.ts';

/** `npm run bench` runs every benchmark but the long ones, `npm run bench -- api` one. Each prints ratios. */
const BENCHMARKS: Record<string, () => Promise<boolean>> = {
  api: benchApi,
  fairness: benchFairness,
  queue: benchQueue,
  search: benchSearch,
  webhooks: benchWebhooks,
  emails: benchEmails,
  transfer: benchTransfer,
  dashboard: benchDashboard,
  form: benchForm,
  'form-timing': benchFormTiming,
  gate: benchGate,
  hostile: benchHostile,
  metrics: benchMetrics,
  footprint: benchFootprint,
  peers: benchPeers,
  workers: benchWorkers,
};

/** Minutes each, so they run when named. */
const LONG_BENCHMARKS: Record<string, () => Promise<boolean>> = {
  upgrade: benchUpgrade,
  memory: benchMemory,
  soak: benchSoak,
  scale: benchScale,
};

const all = { ...BENCHMARKS, ...LONG_BENCHMARKS };
const wanted = namesGiven();
await ensureDashboard(); // Or a server that is measured would build it meanwhile.
const [load = 0] = loadavg();
process.stdout.write(`${cpus()[0]?.model}, ${cpus().length} threads, load before ${load.toFixed(1)}\n`);
for (const name of wanted.length > 0 ? wanted : Object.keys(BENCHMARKS)) {
  const bench = all[name];
  if (!bench) throw new Error(`there is no benchmark ${name}; there are ${Object.keys(all).join(', ')}`);
  if (!(await bench())) process.exitCode = 1;
}
