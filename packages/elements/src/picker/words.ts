import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { createContext, useContext } from 'react';
import { type PickerMessages, WORDS } from './english.ts';

export type Words = typeof WORDS;

const Given = createContext<Words>(WORDS);

export const WordsProvider = Given.Provider;

export const useWords = (): Words => useContext(Given);

export const wordsWith = (messages: PickerMessages | null): Words => ({ ...WORDS, ...messages });

/** Replaces each `{name}` in the text by its value. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? formatNumber(value) : (value ?? whole);
  });
