import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../run/events.ts';
import { eventsAfter, readReport, type StepReport, writeReport } from './step-report.ts';

describe('the report of a step', () => {
  it('comes back as it was written', () => {
    expect(readReport(writeReport(events(40)))).toEqual({ events: events(40), leftOut: 0 });
    expect(readReport(writeReport([]))).toEqual({ events: [], leftOut: 0 });
  });

  it('keeps the beginning and the end of a long story, 40 events in all, and says how many it left out', () => {
    const { events: kept, leftOut } = read(100);
    expect(kept.map(numberOf)).toEqual([0, 1, 2, 3, 4, ...Array.from({ length: 35 }, (_, index) => 65 + index)]);
    expect(leftOut).toBe(60);
  });

  it('cuts long sentences, so that a Workflow of many steps stays small', () => {
    const long: RunEvent = { at: at(0), type: 'warning', message: 'x'.repeat(5_000) };
    expect(writeReport([long]).length).toBeLessThan(800);
  });

  it.each([undefined, '', '{', 'null', '[]', '{"events":1}', '{"events":[1]}', '{"events":[{"at":"x"}]}'])(
    'is nothing when it is %j',
    (text) => {
      expect(readReport(text)).toBeUndefined();
    },
  );

  it('told piece by piece, never repeats an event and never loses the last one', () => {
    for (const stops of [
      [1, 2, 3],
      [3, 100],
      [39, 40, 41, 42],
      [5, 60, 61],
      [40, 90, 200],
      [4, 41],
    ]) {
      let told = 0;
      const heard: number[] = [];
      for (const stop of stops) {
        const report = read(stop);
        const news = eventsAfter(report, told).map(numberOf);
        expect([stops, stop, news.at(-1)]).toEqual([stops, stop, stop - 1]);
        heard.push(...news);
        told = stop;
      }
      expect([stops, heard]).toEqual([stops, [...new Set(heard)].sort((a, b) => a - b)]);
      expect(eventsAfter(read(told), told)).toEqual([]);
    }
  });
});

function read(count: number): StepReport {
  return readReport(writeReport(events(count))) as StepReport;
}

function events(count: number): RunEvent[] {
  return Array.from({ length: count }, (_, index) => ({ at: at(index), type: 'warning', message: String(index) }));
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 5, 3, 0, second)).toISOString();
}

function numberOf(event: RunEvent): number {
  return event.type === 'warning' ? Number(event.message) : -1;
}
