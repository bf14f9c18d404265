import type { Email } from '../lib/email.ts';
import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import type { Identifier } from '../waitlist/people/identity.ts';
import type { Metadata } from '../waitlist/people/person.ts';
import type { Signup } from '../waitlist/signup/signup-input.ts';

const FIRST_NAMES =
  'Ada Alex Amara Anna Aria Ben Bruno Camille Carlos Chloe Daniel Diego Elena Elif Emma Ethan Fatima Felix Freya Grace Hana Hugo Ines Isaac Ivan Jade Jonas Julia Kai Kenji Lara Leo Lena Liam Lina Lucas Maya Mei Mia Milan Nadia Nina Noah Nora Oliver Omar Paula Priya Rafael Rosa Ruth Sam Sara Sofia Theo Tom Uma Vera Yara Yuki Zoe'.split(
    ' ',
  );
const LAST_NAMES =
  'Adeyemi Ahmed Andersen Bauer Becker Bianchi Brown Carter Castro Chen Costa Dubois Evans Fischer Garcia Gomez Haddad Hansen Ito Ivanov Jansen Johnson Kaya Keller Kim Kowalski Kumar Larsen Lee Lopez Martin Meyer Moreau Mori Murphy Nakamura Nguyen Novak Okafor Olsen Park Patel Pereira Petrov Quinn Reyes Rossi Roy Santos Sato Schmidt Silva Singh Smith Suzuki Tanaka Torres Turner Walker Wang Weber White Wilson Wright Yamada Young'.split(
    ' ',
  );
/** Reserved names: mail to them can never be delivered. */
const DOMAINS = [
  ['example.com', 60],
  ['example.org', 16],
  ['example.net', 12],
  ['mail.example', 10],
  ['studio.example', 4],
  ['labs.example', 3],
] as const;
const SOURCES = [
  ['product-hunt', 24],
  ['x', 21],
  ['hacker-news', 15],
  ['newsletter', 14],
  ['google', 13],
  ['podcast', 7],
  ['linkedin', 6],
] as const;
const PLANS = [
  ['free', 58],
  ['pro', 31],
  ['team', 11],
] as const;
const ROLES = [
  ['engineer', 34],
  ['founder', 24],
  ['designer', 18],
  ['product', 16],
  ['student', 8],
] as const;

/** A few people who refer many others. They sign up early. */
const STARS: readonly (readonly [number, number])[] = [
  [3, 30],
  [11, 22],
  [29, 15],
  [64, 11],
  [142, 8],
  [260, 6],
  [415, 4],
  [700, 4],
];
const REFERRED = 0.36;
const REFERRED_BY_STAR = 0.3;
const WITH_PHONE = 0.08;

/** Makes up the people of one waitlist, one after the other. */
export function createPeople(random: Random): () => Signup {
  const emails: string[] = [];
  const used = new Map<string, number>();
  let phones = 0;
  return () => {
    const referrer = pickReferrer(random, emails);
    const email = newEmail(random, used);
    emails.push(email.key);
    const phone = random() < WITH_PHONE ? phoneNumber(phones++) : null;
    return { email, phone, metadata: metadataOf(random, referrer !== null), referrer };
  };
}

function newEmail(random: Random, used: Map<string, number>): Email {
  const [first, last] = [pick(random, FIRST_NAMES), pick(random, LAST_NAMES)];
  const joined = pickWeighted(random, [
    [`${first}.${last}`, 5],
    [`${first}${last[0]}`, 2],
    [`${first[0]}.${last}`, 2],
    [`${first}-${last}`, 1],
  ]).toLowerCase();
  const domain = pickWeighted(random, DOMAINS);
  const times = used.get(`${joined}@${domain}`) ?? 0;
  used.set(`${joined}@${domain}`, times + 1);
  const key = `${joined}${times === 0 ? '' : times + 1}@${domain}`;
  return { shown: key, key };
}

/** Numbers that are reserved for fiction. */
function phoneNumber(n: number): string {
  return `+1${201 + Math.floor(n / 100)}55501${String(n % 100).padStart(2, '0')}`;
}

function metadataOf(random: Random, referred: boolean): Metadata {
  return {
    source: referred && random() < 0.8 ? 'friend' : pickWeighted(random, SOURCES),
    plan: pickWeighted(random, PLANS),
    role: pickWeighted(random, ROLES),
  };
}

function pickReferrer(random: Random, emails: readonly string[]): Identifier | null {
  if (emails.length < 10 || random() >= REFERRED) return null;
  const stars = STARS.filter(([index]) => index < emails.length);
  // Early people have had more time to tell others.
  const index =
    stars.length > 0 && random() < REFERRED_BY_STAR
      ? pickWeighted(random, stars)
      : Math.floor(emails.length * random() ** 1.6);
  return { kind: 'email', key: emails[index] as string };
}

export const DAYS = 90;
const LAUNCH_DAY = 52;
const PRESS_DAY = 79;

/** Signups by hour of the day in UTC: quiet nights, busy European and American days. */
const HOURS = [3, 2, 2, 1, 1, 2, 3, 5, 7, 8, 8, 8, 9, 10, 11, 12, 12, 11, 10, 9, 8, 7, 5, 4];

/** Steady growth, a launch, an article, and quiet weekends. */
function dayWeight(day: number, startsAt: number): number {
  const weekday = new Date(startsAt).getUTCDay();
  const weekend = weekday === 0 || weekday === 6 ? 0.6 : 1;
  const launch = day < LAUNCH_DAY ? 0 : 1_500 * Math.exp((LAUNCH_DAY - day) / 2.6);
  const press = day < PRESS_DAY ? 0 : 420 * Math.exp((PRESS_DAY - day) / 2.2);
  return (60 + 3 * day) * weekend + launch + press;
}

/** When people signed up: `count` times in order, over the days before `end`. */
export function signupTimes(random: Random, count: number, end: number): number[] {
  const days = Array.from({ length: DAYS }, (_, day) => {
    const startsAt = end - (DAYS - day) * DAY_MS;
    return [startsAt, dayWeight(day, startsAt)] as const;
  });
  return Array.from({ length: count }, () => timeOnDay(random, pickWeighted(random, days))).sort(
    (a, b) => a - b,
  );
}

function timeOnDay(random: Random, startsAt: number): number {
  const hours = HOURS.map((_, hour) => {
    const at = startsAt + hour * HOUR_MS;
    return [at, HOURS[new Date(at).getUTCHours()] as number] as const;
  });
  return Math.floor(pickWeighted(random, hours) + random() * HOUR_MS);
}

/** Returns numbers from 0 to 1, the same ones for the same seed. */
export type Random = () => number;

/** Mulberry32: small, and good enough for made-up people. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Picks a value in proportion to its weight. */
function pickWeighted<T>(random: Random, from: readonly (readonly [T, number])[]): T {
  let left = random() * from.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of from) {
    left -= weight;
    if (left < 0) return value;
  }
  return (from.at(-1) as readonly [T, number])[0];
}
