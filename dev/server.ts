import { type Config, readConfig } from '../src/config/config.ts';
import { readEnvFile } from '../src/config/env-file.ts';
import { explainError } from '../src/installation/explain-error.ts';
import { serve } from '../src/server/serve.ts';

/** The server of `npm run dev`. It builds no dashboard, because Vite serves the sources. */
// With it, Node would send the name of each module that the database's thread loads, among its answers.
delete process.env.WATCH_REPORT_DEPENDENCIES;
let config: Config | undefined;
try {
  config = readConfig({ ...readEnvFile('.env'), ...process.env });
  process.exitCode = await serve(config, welcome, { buildsDashboard: false });
} catch (error) {
  console.error(`doorlist: ${explainError(error as Error, config) ?? (error as Error).stack}`);
  process.exitCode = 1;
}

/** Shorter than that of `npm start`, because it is printed after each change. */
function welcome(text: string): void {
  const setup = /^Create the owner's account: .*$/m.exec(text)?.[0];
  console.log(['The server is ready.', ...(setup ? [setup] : [])].join('\n'));
}
