import type { Email } from '../lib/email.ts';
import type { Identifier } from '../waitlist/people/identity.ts';
import type { Metadata } from '../waitlist/people/person.ts';
import type { Signup } from '../waitlist/signup/signup-input.ts';
import { pick, pickWeighted, type Random } from './random.ts';

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
