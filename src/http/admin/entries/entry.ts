import Type from 'typebox';
import { entryParams } from '../../../operations/entries/entries.ts';
import { EXAMPLE_ADMIN_ENTRY } from '../../../wire/entry.ts';
import { waitlistParams } from '../core/waitlist-scope.ts';

export const EntryParams = Type.Object({ ...waitlistParams, ...entryParams });
export const entrySpecial = {
  not_found: {
    when: 'The waitlist or the entry does not exist.',
    message: `there is no entry ${EXAMPLE_ADMIN_ENTRY.id}`,
  },
};
