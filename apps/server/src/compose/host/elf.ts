import { type FileHandle, open } from 'node:fs/promises';

/** Offsets of the fields used here in the header of a 64-bit little-endian ELF file (elf(5), `Elf64_Ehdr`). */
const HEAD = {
  size: 64,
  class: 4,
  order: 5,
  sections: 0x28,
  sectionSize: 0x3a,
  sectionCount: 0x3c,
  names: 0x3e,
} as const;
const MAGIC = Buffer.from('\x7fELF', 'latin1');
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;

/** The same for a section header (`Elf64_Shdr`). */
const SECTION = { size: 64, name: 0, offset: 0x18, length: 0x20 } as const;

/** Limits of sections and of bytes of their names, far above those of our programs. */
const MOST = { sections: 1_000, names: 100_000 } as const;

/** The range of a section in a program's file; null for a program without it, and for a file of another format. */
export async function rangeOfSection(
  path: string,
  name: string,
): Promise<{ readonly start: number; readonly length: number } | null> {
  const file = await open(path);
  try {
    const head = await bytesAt(file, 0, HEAD.size);
    const isKnown =
      head.subarray(0, MAGIC.length).equals(MAGIC) &&
      head[HEAD.class] === CLASS_64 &&
      head[HEAD.order] === LITTLE_ENDIAN &&
      head.readUInt16LE(HEAD.sectionSize) === SECTION.size;
    const count = head.readUInt16LE(HEAD.sectionCount);
    if (!isKnown || count > MOST.sections) return null;
    const heads = await bytesAt(file, Number(head.readBigUInt64LE(HEAD.sections)), count * SECTION.size);
    const sections = Array.from({ length: count }, (_, index) => {
      const section = heads.subarray(index * SECTION.size);
      return {
        name: section.readUInt32LE(SECTION.name),
        start: Number(section.readBigUInt64LE(SECTION.offset)),
        length: Number(section.readBigUInt64LE(SECTION.length)),
      };
    });
    const ofNames = sections[head.readUInt16LE(HEAD.names)];
    if (!ofNames || ofNames.length > MOST.names) return null;
    const names = await bytesAt(file, ofNames.start, ofNames.length);
    const found = sections.find((section) => names.toString('latin1', section.name).split('\0', 1)[0] === name);
    return found ? { start: found.start, length: found.length } : null;
  } finally {
    await file.close();
  }
}

/** @throws RangeError if the file ends before them */
async function bytesAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, start);
  if (bytesRead < length) throw new RangeError(`The program's file ends at ${start + bytesRead}.`);
  return bytes;
}
