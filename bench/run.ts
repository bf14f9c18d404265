import { benchAdmin } from './admin.ts';
import { benchApi } from './api.ts';
import { benchDashboard } from './dashboard.ts';
import { benchEmails } from './emails.ts';
import { benchForm } from './form.ts';
import { benchFormTiming } from './form-timing.ts';
import { benchQueue } from './queue.ts';
import { benchWebhooks } from './webhooks.ts';

/** `npm run bench` runs every benchmark, `npm run bench -- api` one. Each prints ratios, never bare times. */
const BENCHMARKS: Record<string, () => Promise<boolean>> = {
  api: benchApi,
  queue: benchQueue,
  webhooks: benchWebhooks,
  emails: benchEmails,
  admin: benchAdmin,
  dashboard: benchDashboard,
  form: benchForm,
  'form-timing': benchFormTiming,
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(BENCHMARKS)) {
  const bench = BENCHMARKS[name];
  if (!bench)
    throw new Error(`there is no benchmark ${name}; there are ${Object.keys(BENCHMARKS).join(', ')}`);
  if (!(await bench())) process.exitCode = 1;
}
