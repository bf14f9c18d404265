import { type Path, pathOf, walk } from './path.ts';

export const INEXACT_NUMBER = 'is a number that cannot be kept exactly; send it as a string';

/** Finds candidates: numbers with many digits or an exponent, which a double may not hold, and minus zero. */
const SUSPICIOUS = /[:[,\s](?:-?[0-9](?:[0-9.]{15}|[0-9.]*[eE])|-0)/;
const NUMBER = /-?[0-9.]+(?:[eE][+-]?[0-9]+)?/y;
/** Decimals of up to 15 digits survive a double. */
const SURELY_EXACT_CHARACTERS = 15;
const MOST_PATHS = 100;

/**
 * Returns the paths of numbers in valid JSON whose value would change when parsed, up to a hundred. `1.0` and
 * `1E2` have the same value as `1` and `100`.
 */
export function findInexactNumbers(json: string): Path[] {
  const paths: Path[] = [];
  if (!SUSPICIOUS.test(json)) return paths;
  walk(json, {
    number: (levels, start) => {
      if (!isExact(numberAt(json, start))) paths.push(pathOf(levels));
      return paths.length === MOST_PATHS;
    },
  });
  return paths;
}

function numberAt(json: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(json)?.[0] ?? '';
}

/** Whether a number is the same after parsing and serializing. */
function isExact(number: string): boolean {
  const value = Number(number);
  if (Object.is(value, -0)) return false; // JSON.stringify writes it as 0.
  if (number.length <= SURELY_EXACT_CHARACTERS && !/[eE]/.test(number)) return true;
  return Number.isFinite(value) && canonical(number) === canonical(String(value));
}

/**
 * A normal form of a decimal: its digits without leading and trailing zeros, and the position of the point.
 */
function canonical(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let length = digits.length;
  while (digits[length - 1] === '0') length -= 1;
  if (length === 0) return '0';
  return `${sign}${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}
