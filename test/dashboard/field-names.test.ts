import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../src/lib/setting.ts';
import { FORM_SETTINGS } from '../../src/waitlist/forms/form-settings.ts';
import { nameFor } from '../../web/src/pages/form/field-draft.ts';

const accept = (name: string) =>
  checkSettings(FORM_SETTINGS, { fields: [{ name, label: 'Label', type: 'text', required: false }] });

describe('the metadata key of a field, from its label', () => {
  it('reads like the label', () => {
    assert.equal(nameFor('Company size', []), 'company_size');
    assert.equal(nameFor('Où travaillez-vous ?', []), 'ou_travaillez_vous');
    assert.equal(nameFor('Größe', []), 'grosse');
    assert.equal(nameFor(' ', []), '');
  });

  it('is there for a label without Latin letters', () => {
    assert.equal(nameFor('会社', []), 'field');
    assert.equal(nameFor('役職', ['field']), 'field_2');
  });

  it('is none that another field has, nor one that the form uses itself', () => {
    assert.equal(nameFor('Company', ['company', 'company_2']), 'company_3');
    for (const label of ['Email', 'Phone', 'Website', 'Consent', 'Ref', 'Token', 'x'.repeat(99)])
      accept(nameFor(label, ['x'.repeat(64)]));
  });
});
