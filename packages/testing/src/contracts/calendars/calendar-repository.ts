import { describe, expect, test } from 'bun:test';
import { type Calendar, MAX_CALENDARS, type Uuid } from '@postshelf/domain';
import { addProfile } from '../posts/samples.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

const PAGE = { offset: 0, limit: 30 };

export const sampleCalendar = (workspaceId: Uuid, details: Partial<Calendar> = {}): Calendar => ({
  id: newId(),
  workspaceId,
  profileId: null,
  count: 5,
  minGapMinutes: 120,
  exclude: null,
  hash: newId(),
  createdAt: NOW,
  ...details,
});

/** The contract of {@link CalendarRepository}. */
export function describeCalendarRepository(name: string, open: OpenStores): void {
  describe(`${name}: calendar repository`, () => {
    const stores = storesOfEachTest(open);

    test('keeps calendars as they were given, for every instance, until they are deleted', async () => {
      const profile = await addProfile(stores.one);
      const { workspaceId } = profile;
      const plain = sampleCalendar(workspaceId);
      const wishes = { profileId: profile.id, count: 50, minGapMinutes: 86_400, exclude: 'Sunday, 0-6' };
      const detailed = sampleCalendar(workspaceId, { ...wishes, createdAt: NOW + 1 });
      for (const calendar of [plain, detailed]) expect(await stores.one.calendars.insert(calendar)).toBe('kept');
      await stores.one.calendars.insert(sampleCalendar((await addWorkspace(stores.one)).id));
      expect(await stores.two.calendars.find(detailed.id)).toEqual(detailed);
      expect(await stores.two.calendars.list(workspaceId, PAGE)).toEqual({ items: [detailed, plain], total: 2 });
      expect(await stores.two.calendars.list(workspaceId, { offset: 1, limit: 1 })).toEqual({
        items: [plain],
        total: 2,
      });
      expect(await stores.two.calendars.delete(plain.id)).toBe(true);
      expect(await stores.one.calendars.delete(plain.id)).toBe(false);
      expect(await stores.one.calendars.find(plain.id)).toBeNull();
      await stores.two.calendars.deleteAll();
      expect(await stores.one.calendars.find(detailed.id)).toBeNull();
    });

    test('inserts no calendar for a foreign profile, or for a profile or workspace being removed', async () => {
      const profile = await addProfile(stores.one);
      const insert = (workspaceId: Uuid, profileId: Uuid | null) =>
        stores.two.calendars.insert(sampleCalendar(workspaceId, { profileId }));
      const other = await addWorkspace(stores.one);
      expect(await insert(other.id, profile.id)).toBe('gone');
      expect(await insert(other.id, newId())).toBe('gone');
      await stores.one.profiles.beginRemoval(profile.id, NOW);
      expect(await insert(profile.workspaceId, profile.id)).toBe('gone');
      await stores.one.workspaces.beginRemoval(other.id, NOW);
      expect(await insert(other.id, null)).toBe('gone');
      expect(await insert(newId(), null)).toBe('gone');
      expect((await stores.one.calendars.list(profile.workspaceId, PAGE)).total).toBe(0);
    });

    test('deletes calendars with their profile and with their workspace', async () => {
      const profile = await addProfile(stores.one);
      const { workspaceId } = profile;
      const [ofProfile, ofWorkspace] = [profile.id, null].map((profileId) =>
        sampleCalendar(workspaceId, { profileId }),
      );
      for (const calendar of [ofProfile, ofWorkspace]) if (calendar) await stores.one.calendars.insert(calendar);
      expect(await stores.two.profiles.delete(profile.id)).toBe('deleted');
      expect((await stores.one.calendars.list(workspaceId, PAGE)).items).toEqual([ofWorkspace as Calendar]);
      await stores.one.workspaces.beginRemoval(workspaceId, NOW);
      while (await stores.one.workspaces.removeBatch(workspaceId, 100, NOW));
      expect((await stores.one.calendars.list(workspaceId, PAGE)).total).toBe(0);
    });

    let full: Uuid;
    testRace(stores, 'never keeps too many calendars of a workspace', async (race, round) => {
      const insert = (store: typeof stores.one) => store.calendars.insert(sampleCalendar(full));
      if (round === 0) {
        full = (await addWorkspace(stores.one)).id;
        for (let n = 1; n < MAX_CALENDARS; n += 1) await insert(stores.one);
      }
      expect((await race(insert, insert)).toSorted()).toEqual(['full', 'kept']);
      const [kept] = (await stores.one.calendars.list(full, PAGE)).items;
      await stores.one.calendars.delete(kept?.id ?? newId());
    });
  });
}
