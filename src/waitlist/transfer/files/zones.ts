import { MINUTE_MS } from '../../../lib/time.ts';
import { findTimeZone, type TimeZone } from '../../statistics/time-zone.ts';

const QUARTER_MS = 15 * MINUTE_MS;
const OFFSETS_KEPT = 20_000;

/** Turns local times into times. */
export interface Zone {
  /** As it can be given again. */
  readonly name: string;
  /** `local` is in milliseconds, as if it were UTC. */
  utcOf(local: number): number;
}

/** Minutes from UTC. An abbreviation names one offset all year, whatever the place does in summer. */
const ABBREVIATIONS: ReadonlyMap<string, number> = new Map([
  ['UTC', 0],
  ['GMT', 0],
  ['Z', 0],
  ['WET', 0],
  ['WEST', 60],
  ['BST', 60],
  ['CET', 60],
  ['CEST', 120],
  ['EET', 120],
  ['EEST', 180],
  ['MSK', 180],
  ['IST', 330],
  ['SGT', 480],
  ['HKT', 480],
  ['AWST', 480],
  ['JST', 540],
  ['KST', 540],
  ['ACST', 570],
  ['AEST', 600],
  ['ACDT', 630],
  ['AEDT', 660],
  ['NZST', 720],
  ['NZDT', 780],
  ['AST', -240],
  ['ADT', -180],
  ['EST', -300],
  ['EDT', -240],
  ['CST', -360],
  ['CDT', -300],
  ['MST', -420],
  ['MDT', -360],
  ['PST', -480],
  ['PDT', -420],
  ['AKST', -540],
  ['AKDT', -480],
  ['HST', -600],
]);

/** Words that mean a place, with its summer time. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['pt', 'America/Los_Angeles'],
  ['pacific', 'America/Los_Angeles'],
  ['mt', 'America/Denver'],
  ['mountain', 'America/Denver'],
  ['ct', 'America/Chicago'],
  ['central', 'America/Chicago'],
  ['et', 'America/New_York'],
  ['eastern', 'America/New_York'],
  ['coordinated universal', 'UTC'],
  ['greenwich mean', 'UTC'],
  ['central european', 'Europe/Paris'],
  ['eastern european', 'Europe/Athens'],
  ['western european', 'Europe/Lisbon'],
  ['british', 'Europe/London'],
  ['india', 'Asia/Kolkata'],
  ['japan', 'Asia/Tokyo'],
]);

const known = new Map<string, Zone | undefined>();

/** Finds a zone by an IANA name, an abbreviation, an offset, or a few words such as "Pacific Time". */
export function findZone(text: string): Zone | undefined {
  const name = text.trim();
  if (known.has(name)) return known.get(name);
  if (known.size >= 1_000) known.clear();
  const zone = openZone(name);
  known.set(name, zone);
  return zone;
}

function openZone(name: string): Zone | undefined {
  const upper = name.toUpperCase();
  const minutes = ABBREVIATIONS.get(upper) ?? offsetIn(upper);
  if (minutes !== undefined) return fixedZone(upper === 'Z' ? 'UTC' : upper, minutes);
  const words = name
    .toLowerCase()
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/\s+(standard\s+|daylight\s+|summer\s+)?time$/, '');
  const place = PLACES.get(words) ?? (/^[A-Za-z]+\/[A-Za-z_/+-]+$/.test(name) ? name : undefined);
  const zone = place === undefined ? undefined : findTimeZone(place);
  return place !== undefined && zone ? placeZone(place, zone) : undefined;
}

/** `+02:00`, `-0430`, `UTC+2`, `GMT+0000 (…)`. */
function offsetIn(text: string): number | undefined {
  const match = /^(?:UTC|GMT)?\s*([+\-−])(\d{1,2})(?::?([0-5]\d))?(?:\s*\(.*\))?$/.exec(text);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes >= 15 * 60) return undefined;
  return match[1] === '+' ? minutes : -minutes;
}

function fixedZone(name: string, minutes: number): Zone {
  return { name, utcOf: (local) => local - minutes * MINUTE_MS };
}

function placeZone(name: string, zone: TimeZone): Zone {
  // Clocks change on a quarter of an hour, and asking for an offset takes longer than reading the row.
  const offsets = new Map<number, number>();
  return {
    name,
    utcOf: (local) => {
      const quarter = Math.floor(local / QUARTER_MS) * QUARTER_MS;
      let offset = offsets.get(quarter);
      if (offset === undefined) {
        const guess = quarter - (zone.localTime(quarter) - quarter);
        offset = zone.localTime(guess) - guess;
        if (offsets.size >= OFFSETS_KEPT) offsets.clear();
        offsets.set(quarter, offset);
      }
      return local - offset;
    },
  };
}

/** With its offset, if that is the same all year: `PST (UTC-8)`. */
export function describeZone(name: string): string {
  const minutes = ABBREVIATIONS.get(name);
  if (minutes === undefined || minutes === 0) return name;
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `${name} (UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${rest}`})`;
}
