import type { Schemas } from '../../api/client.ts';
import { toTime } from '../queue/segment-words.ts';

type ExportRequest = Schemas['ExportRequest'];

export interface ExportDraft {
  format: ExportRequest['format'];
  status: 'all' | NonNullable<ExportRequest['status']>;
  minReferrals: string;
  /** Days, in the time zone of the installation. */
  joinedAfter: string;
  joinedBefore: string;
  /** `key=value`, separated by commas. */
  where: string;
  /** Id of a saved segment, which the other conditions narrow. */
  saved: string;
}

export const EMPTY_DRAFT: ExportDraft = {
  format: 'csv',
  status: 'all',
  minReferrals: '',
  joinedAfter: '',
  joinedBefore: '',
  where: '',
  saved: '',
};

export function requestOf({ format, status, ...conditions }: ExportDraft): ExportRequest {
  const { minReferrals, joinedAfter, joinedBefore, saved } = conditions;
  const where = pairsOf(conditions.where);
  const segment = {
    ...(minReferrals === '' ? {} : { minReferrals: Number(minReferrals) }),
    ...(joinedAfter === '' ? {} : { joinedAfter: toTime(joinedAfter) }),
    ...(joinedBefore === '' ? {} : { joinedBefore: toTime(joinedBefore) }),
    ...(where.length === 0 ? {} : { where }),
    ...(saved === '' ? {} : { saved }),
  };
  return {
    format,
    ...(status === 'all' ? {} : { status }),
    ...(Object.keys(segment).length === 0 ? {} : { segment }),
  };
}

function pairsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.indexOf('=') > 0)
    .map((part) => `${part.slice(0, part.indexOf('=')).trim()}=${part.slice(part.indexOf('=') + 1).trim()}`);
}
