import type { Schemas } from '../../api/client.ts';

type ExportRequest = Schemas['ExportRequest'];

export interface ExportDraft {
  format: ExportRequest['format'];
  status: 'all' | NonNullable<ExportRequest['status']>;
  minReferrals: string;
  /** Days, in the time zone of the browser. */
  joinedAfter: string;
  joinedBefore: string;
  /** `key=value`, separated by commas. */
  where: string;
}

export const EMPTY_DRAFT: ExportDraft = {
  format: 'csv',
  status: 'all',
  minReferrals: '',
  joinedAfter: '',
  joinedBefore: '',
  where: '',
};

export function requestOf({ format, status, ...conditions }: ExportDraft): ExportRequest {
  const { minReferrals, joinedAfter, joinedBefore } = conditions;
  const where = pairsOf(conditions.where);
  const segment = {
    ...(minReferrals === '' ? {} : { minReferrals: Number(minReferrals) }),
    ...(joinedAfter === '' ? {} : { joinedAfter: startOf(joinedAfter) }),
    ...(joinedBefore === '' ? {} : { joinedBefore: startOf(joinedBefore) }),
    ...(Object.keys(where).length === 0 ? {} : { where }),
  };
  return {
    format,
    ...(status === 'all' ? {} : { status }),
    ...(Object.keys(segment).length === 0 ? {} : { segment }),
  };
}

function startOf(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString();
}

function pairsOf(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.indexOf('=') > 0)
    .map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1).trim()]);
  return Object.fromEntries(pairs);
}
