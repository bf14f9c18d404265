import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario, wrongIn } from '../../faults/run-scenario.ts';
import { SCENARIOS } from '../../faults/scenarios.ts';
import { CHOSEN_ENGINES } from '../support/engines.ts';
import { seedFor } from '../support/seed.ts';
import { postgresServerUrl } from '../support/storage.ts';

/** The others restart PostgreSQL or take all its connections, which other tests need. */
const HARMLESS = ['kill -9', 'kill -9 of one of two', 'sessions are terminated'];

// They mostly wait: a delivery that a killed server had begun is repeated after a minute.
describe('a short run of `npm run faults`', { concurrency: true }, () => {
  for (const scenario of SCENARIOS) {
    if (!HARMLESS.includes(scenario.name) || !CHOSEN_ENGINES.includes(scenario.engine)) continue;
    it(`loses, doubles and reverts nothing: ${scenario.name}, ${scenario.engine}`, async (test) => {
      const restart = () => assert.fail('other tests need it');
      const postgres = { url: postgresServerUrl(), restart };
      const outcome = await runScenario(scenario, {
        seed: seedFor(test, import.meta.filename),
        short: true,
        postgres,
      });
      assert.ok(typeof outcome !== 'string', String(outcome));
      assert.deepEqual(wrongIn(outcome), []);
    });
  }
});
