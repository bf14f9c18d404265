import { readConfig } from '../../src/config/config.ts';
import { serve } from '../../src/server/serve.ts';

/** The server as a separate process with shorter limits: `LIMITS` has its options as JSON. */
const { LIMITS = '{}', ...environment } = process.env;
process.exitCode = await serve(
  readConfig(environment),
  (text) => process.stderr.write(`${text}\n`),
  JSON.parse(LIMITS),
);
