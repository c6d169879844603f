import type { Unit } from './query';

const DAY = 24 * 60 * 60 * 1000;

/** When a local date (`2026-11-01`), plus some days, begins; NaN if there is no such date. */
export function dayStart(date: string, daysLater = 0): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (!match) {
    return NaN;
  }
  const [year, month, day] = match.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month - 1)) {
    return NaN;
  }
  const start = new Date(2000, 0, 1);
  start.setFullYear(year, month - 1, day + daysLater);
  return start.getTime();
}

/** Subtract an amount of time from now; months and years follow the local calendar. */
export function before(now: number, amount: number, unit: Unit): number {
  switch (unit) {
    case 'min':
      return now - amount * 60 * 1000;
    case 'h':
      return now - amount * 60 * 60 * 1000;
    case 'd':
      return now - amount * DAY;
    case 'w':
      return now - amount * 7 * DAY;
    case 'mo':
      return monthsBefore(now, amount);
    case 'y':
      return monthsBefore(now, amount * 12);
  }
}

function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getDate();
  // Start from the 1st: the 31st of a shorter month would overflow into the next.
  date.setDate(1);
  date.setMonth(date.getMonth() - months);
  date.setDate(Math.min(day, daysIn(date.getFullYear(), date.getMonth())));
  const time = date.getTime();
  return Number.isNaN(time) ? -Infinity : time;
}

function daysIn(year: number, month: number): number {
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month + 1, 0);
  return date.getUTCDate();
}
