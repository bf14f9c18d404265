import Type, { type Static } from 'typebox';
import type { CodeEffect } from '../../db/tables.ts';
import { invalid } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../../lib/time.ts';
import { readParts } from '../../mail/parts.ts';
import { whenReadable } from '../../vault/crypto.ts';
import {
  createCode,
  deleteCode,
  listCodes,
  listUses,
  readCode,
  updateCode,
} from '../../waitlist/codes/change-codes.ts';
import type { Code } from '../../waitlist/codes/codes.ts';
import { openEntries } from '../../waitlist/entries/entry.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import { joinLink } from '../../waitlist/links/links.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { findBySeqs } from '../../waitlist/queue/entry-rows.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import {
  CodeSchema,
  codeEffect,
  codeLimit,
  codePlaces,
  codeTag,
  codeText,
  EXAMPLE_CODE,
  presentCode,
} from '../../wire/code.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import { hostedUrl } from '../../wire/form.ts';
import type { Mask } from '../../wire/mask.ts';
import { limits, named, time, timeOrNull, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageOf, pageQuery } from '../core/pages.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { parseTimeOrNull } from '../core/times.ts';

const tag = 'Codes';
const scope = 'queue';
const params = {
  codeId: Type.String({ ...WORD, description: 'Id of the code.', examples: [EXAMPLE_CODE.id] }),
};

const expiresAt = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  ...limits({ format: 'date-time', maxLength: 64 }),
  description: 'When it expires. `null`: never.',
  examples: ['2026-12-01T00:00:00Z'],
});

const CodeRequest = Type.Object(
  {
    code: Type.Optional(codeText),
    does: Type.Optional(codeEffect),
    places: Type.Optional(codePlaces),
    limit: codeLimit,
    expiresAt: Type.Optional(expiresAt),
    tag: Type.Optional(codeTag),
  },
  {
    ...named('CodeRequest'),
    ...closed,
    description: 'A code to create.',
    ...withExamples({
      chosen: {
        summary: 'A code that you choose',
        value: { code: 'FRIENDS-OF-ADA', limit: 100, tag: 'podcast' },
      },
      advance: {
        summary: 'A code that puts people 50 places earlier',
        value: { code: 'FRIENDS-OF-ADA', does: 'advance', places: 50, limit: 100 },
      },
      madeUp: { summary: 'A code that is made up', value: { limit: 20 } },
    }),
  },
);

const CodeChange = Type.Object(
  { limit: Type.Optional(codeLimit), expiresAt: Type.Optional(expiresAt), tag: Type.Optional(codeTag) },
  {
    ...named('CodeChange'),
    ...closed,
    ...limits({ minProperties: 1 }),
    description: 'What to change.',
    ...withExamples({ limit: { summary: 'For more people', value: { limit: 200 } } }),
  },
);

const CodePage = Type.Object(
  {
    codes: Type.Array(CodeSchema, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('CodePage'), description: 'One page of codes.' },
);

const CodeUse = Type.Object(
  {
    entry: AdminEntrySchema,
    usedAt: time('When they used the code.'),
    returnedAt: timeOrNull('When they were removed so soon that the code got the place back.'),
  },
  { ...named('CodeUse'), description: 'Somebody who came with a code.' },
);

const CodeUsePage = Type.Object(
  {
    uses: Type.Array(CodeUse, { maxItems: PAGE_LIMIT_MAX, description: 'Last on the waitlist first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('CodeUsePage'), description: 'One page of those who came with a code.' },
);

export const codes = [
  operation({
    id: 'listCodes',
    at: 'GET /waitlists/:waitlistId/codes',
    tag,
    summary: 'List codes',
    description: 'Returns the codes of a waitlist that several people can use, newest first.',
    role: 'viewer',
    scope,
    query: pageQuery,
    answer: {
      description: 'A page of codes.',
      schema: CodePage,
      example: { codes: [EXAMPLE_CODE], nextCursor: null },
    },
    run: async ({ context, parts, queue, mask, query: { limit = PAGE_LIMIT_DEFAULT, cursor } }) => {
      const after = cursor === undefined ? undefined : parseId('cod', cursor);
      if (cursor !== undefined && !after) throw invalid('cursor: is invalid');
      const found = await listCodes(context, queue, { limit: limit + 1, after });
      const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
      const present = await presenting(parts, queue, mask);
      return { codes: items.map(present), nextCursor };
    },
  }),
  operation({
    id: 'createCode',
    at: 'POST /waitlists/:waitlistId/codes',
    tag,
    summary: 'Create a code',
    description:
      'Creates a code that several people can use, up to a limit. One that does `admit`, the default, can be checked and accepted like an invite, ' +
      'by whoever has it, with their email. One that does `advance` is named in a signup or in the form, as `code`. What a code does cannot be changed.',
    role: 'support',
    scope,
    body: CodeRequest,
    answer: {
      status: 201,
      description: 'The code.',
      schema: CodeSchema,
      example: { ...EXAMPLE_CODE, used: 0 },
    },
    errors: {
      invalid_request: { message: 'limit: must be a whole number from 1 to 999999999' },
      conflict: {
        when: 'The code is taken.',
        message: 'code: is taken, here or on another waitlist or environment',
      },
    },
    run: async ({ context, parts, queue, mask, body: { does = 'admit', ...body } }) => {
      const input = { ...body, does, expiresAt: timeOf(body.expiresAt) };
      return (await presenting(parts, queue, mask))(await createCode(context, queue, input));
    },
  }),
  operation({
    id: 'getCode',
    showsSettings: true,
    at: 'GET /waitlists/:waitlistId/codes/:codeId',
    tag,
    summary: 'Get a code',
    description: 'Returns a code and how many people have used it.',
    role: 'viewer',
    scope,
    params,
    answer: { description: 'The code.', schema: CodeSchema, example: EXAMPLE_CODE },
    run: async ({ context, parts, queue, mask, params: { codeId } }) =>
      (await presenting(parts, queue, mask))(await readCode(context, queue, codeId)),
  }),
  operation({
    id: 'updateCode',
    settings: { lock: 'queue' },
    at: 'PATCH /waitlists/:waitlistId/codes/:codeId',
    tag,
    summary: 'Change a code',
    description:
      'Changes all given fields or none. The limit cannot be lower than the number of people who have used it.',
    role: 'support',
    scope,
    params,
    body: CodeChange,
    answer: { description: 'The code.', schema: CodeSchema, example: { ...EXAMPLE_CODE, limit: 200 } },
    errors: {
      invalid_request: { message: 'limit: must be at least 12, because as many people have used the code' },
      damaged: {},
    },
    run: async ({ context, parts, queue, mask, params: { codeId }, body }) => {
      if (Object.keys(body).length === 0) throw invalid('body: has nothing to change');
      const changes = { ...body, expiresAt: timeOf(body.expiresAt) };
      return (await presenting(parts, queue, mask))(await updateCode(context, queue, codeId, changes));
    },
  }),
  operation({
    id: 'deleteCode',
    at: 'DELETE /waitlists/:waitlistId/codes/:codeId',
    tag,
    summary: 'Delete a code',
    description: 'Nobody can use it any more, and no other code gets its text. Who came with it stays.',
    role: 'support',
    scope,
    params,
    answer: {
      description: 'The code was deleted.',
      schema: Deleted,
      example: { id: EXAMPLE_CODE.id, deleted: true },
    },
    run: async ({ context, queue, params: { codeId: id } }) => {
      await deleteCode(context, queue, id);
      return { id, deleted: true as const };
    },
  }),
  operation({
    id: 'listCodeUses',
    at: 'GET /waitlists/:waitlistId/codes/:codeId/uses',
    tag,
    summary: 'List who came with a code',
    description: 'Returns the people who used a code, the last one on the waitlist first.',
    role: 'viewer',
    shows: 'people',
    scope,
    params,
    query: pageQuery,
    answer: {
      description: 'A page of people.',
      schema: CodeUsePage,
      example: {
        uses: [{ entry: EXAMPLE_ADMIN_ENTRY, usedAt: '2026-11-15T09:30:00.000Z', returnedAt: null }],
        nextCursor: null,
      },
    },
    run: async ({
      context,
      queue,
      mask,
      params: { codeId },
      query: { limit = PAGE_LIMIT_DEFAULT, cursor },
    }) => {
      const after = cursor === undefined ? undefined : Number(cursor);
      if (after !== undefined && !Number.isSafeInteger(after)) throw invalid('cursor: is invalid');
      const found = await listUses(context, queue, codeId, { limit: limit + 1, after });
      const { items, nextCursor } = pageOf(found, limit, ({ seq }) => String(seq));
      return { uses: await presentUses(context, queue, items, mask), nextCursor };
    },
  }),
];

/** What is left out stays as it is. */
function timeOf(given: string | null | undefined): number | null | undefined {
  return given === undefined ? undefined : parseTimeOrNull(given, 'expiresAt');
}

async function presenting({ waitlists, publicUrl }: OperationParts, queue: Queue, mask: Mask) {
  const [mails, form] = await Promise.all([
    whenReadable(readParts(waitlists, queue.waitlist.internalId)),
    whenReadable(formOf(waitlists, queue)),
  ]);
  const linkTo = (code: string, does: CodeEffect) => {
    if (does === 'admit') return joinLink(mails?.settings.joinUrl ?? null, publicUrl, code);
    return form?.enabled ? hostedUrl(publicUrl, queue, { code }) : null;
  };
  return (code: Code) => presentCode(code, mask, linkTo);
}

async function presentUses(
  context: Context,
  queue: Queue,
  uses: Awaited<ReturnType<typeof listUses>>,
  mask: Mask,
): Promise<Static<typeof CodeUse>[]> {
  const seqs = uses.map(({ seq }) => seq);
  const rows = seqs.length === 0 ? [] : await context.db.run(findBySeqs, { queueId: queue.id, seqs });
  const entries = new Map(openEntries(context, queue, rows).map((entry) => [entry.seq, entry]));
  return uses.flatMap(({ seq, used_at, returned_at }) => {
    const entry = entries.get(seq);
    if (!entry) return [];
    const shown = mask.entry(presentAdminEntry(entry));
    return [{ entry: shown, usedAt: isoTime(used_at), returnedAt: isoTimeOrNull(returned_at) }];
  });
}
