import { endOfTurn } from '../../../lib/promises.ts';
import { openScratch } from '../../../lib/scratch.ts';

const PAGE = 1_000;
/** Some milliseconds of work. */
const STEPS_A_TURN = 500;

interface Link {
  referrer: number;
  /** The first walk that visited it, or 0. */
  walk: number;
}

/** The members of circles: who refer one another, so that nobody of them was there first. */
export interface Circles {
  readonly size: number;
  has(seq: number): boolean;
  /** The next members in joining order. */
  after(seq: number, limit: number): number[];
}

/** Who was referred by whom, by their numbers, which start at 1. Kept in a file: there may be any number of them. */
export class Referrals implements Circles {
  readonly #scratch = openScratch(`
    create table link (seq integer primary key, referrer integer not null, walk integer not null default 0) strict;
    create table member (seq integer primary key) strict`);
  readonly #add = this.#scratch.prepare('insert or replace into link (seq, referrer) values (?, ?)');
  readonly #page = this.#scratch.prepare(`select seq from link where seq > ? order by seq limit ${PAGE}`);
  readonly #link = this.#scratch.prepare('select referrer, walk from link where seq = ?');
  readonly #visit = this.#scratch.prepare('update link set walk = ? where seq = ?');
  readonly #join = this.#scratch.prepare('insert or ignore into member values (?)');
  readonly #member = this.#scratch.prepare('select 1 from member where seq = ?');
  readonly #members = this.#scratch.prepare('select seq from member where seq > ? order by seq limit ?');
  #steps = 0;
  size = 0;

  /** The last one counts. */
  add(seq: number, referrer: number): void {
    this.#add.run(seq, referrer);
  }

  /**
   * Following referrers leads either to an end or into exactly one circle, so a single pass finds all circles.
   */
  async findCircles(): Promise<void> {
    for (let last = 0; ; ) {
      const page = this.#page.all(last) as { seq: number }[];
      for (const { seq } of page) await this.#walkFrom(seq);
      last = page.at(-1)?.seq ?? last;
      if (page.length < PAGE) return;
    }
  }

  async #walkFrom(start: number): Promise<void> {
    let at = start;
    let link = this.#linkOf(at);
    while (link?.walk === 0) {
      this.#visit.run(start, at);
      at = link.referrer;
      link = this.#linkOf(at);
      await this.#takeTurn();
    }
    if (link?.walk !== start) return; // An end, or where an earlier walk has been.
    while (link && this.#join.run(at).changes === 1) {
      this.size += 1;
      at = link.referrer;
      link = this.#linkOf(at);
      await this.#takeTurn();
    }
  }

  async #takeTurn(): Promise<void> {
    this.#steps += 1;
    if (this.#steps % STEPS_A_TURN === 0) await endOfTurn();
  }

  #linkOf(seq: number): Link | undefined {
    return this.#link.get(seq) as Link | undefined;
  }

  has(seq: number): boolean {
    return this.size > 0 && this.#member.get(seq) !== undefined;
  }

  after(seq: number, limit: number): number[] {
    return (this.#members.all(seq, limit) as { seq: number }[]).map((member) => member.seq);
  }

  close(): void {
    this.#scratch.close();
  }
}
