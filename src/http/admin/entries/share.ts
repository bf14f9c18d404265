import Type from 'typebox';
import { closed } from '../../../operations/core/schemas.ts';
import { readEntry } from '../../../waitlist/entries/browse-entries.ts';
import { aliasesOf } from '../../../waitlist/referrals/referral-alias.ts';
import { named, nullable } from '../../../wire/schema.ts';
import { shareUrls } from '../../share-url.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { environmentQuery } from '../core/waitlist-scope.ts';
import { EntryParams, entrySpecial } from './entry.ts';

const Share = Type.Object(
  {
    shareUrl: nullable<string>('string', {
      description:
        'The link to share in their emails, with their `referralCode`. `null` if the waitlist has no referral URL and its form is off, or if ' +
        'nothing is stored about the person.',
    }),
    byForm: Type.Boolean({
      description:
        'Whether they signed up with the public form. It shows a link with a longer code, a different one at each visit: whoever types an ' +
        'address must not learn its code. Those codes count for them, too.',
    }),
    importedCode: nullable<string>('string', {
      description: 'The referral code that they were imported with, if it leads to them.',
    }),
    otherCodes: Type.Integer({
      minimum: 0,
      description: 'Other imported codes that lead to them, of which only hashes are stored.',
    }),
  },
  { ...named('EntryShare'), description: 'What leads to an entry when others sign up.' },
);

const schema = adminSchema({
  operationId: 'getEntryShare',
  tag: 'Entries',
  summary: "Get an entry's share link",
  description:
    'Returns the link that a person shares, and the referral codes beside their own that count for them.',
  role: 'support',
  params: EntryParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    description: 'The link and the codes.',
    schema: Share,
    example: {
      shareUrl: 'https://acme.example/?ref=k3v9x0ab',
      byForm: false,
      importedCode: 'ADA-2024',
      otherCodes: 0,
    },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

export function registerEntryShare(app: TypedApp, parts: AdminParts): void {
  app.get('/waitlists/:waitlistId/entries/:entryId/share', { schema }, async (request) => {
    const { waitlists, publicUrl } = parts;
    const queue = await queueToRead(parts, request);
    const entry = await readEntry(waitlists, queue, request.params.entryId);
    const shareUrl = await shareUrls(waitlists, queue, publicUrl);
    const { code, others } = await aliasesOf(waitlists.db, queue, entry);
    return {
      shareUrl: entry.referralCode && shareUrl(entry.referralCode),
      byForm: entry.byForm,
      importedCode: code,
      otherCodes: others,
    };
  });
}
