import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { buildFormScript, FORM_SCRIPT } from '../../web/form/build.ts';

describe('the script of the form', () => {
  it('is what its sources build', async () => {
    assert.equal(readFileSync(FORM_SCRIPT, 'utf8'), await buildFormScript(), 'run `npm run form:build`');
  });
});
