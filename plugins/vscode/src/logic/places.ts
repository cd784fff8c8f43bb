// Where files lie, as far as it decides what may be started.

import { realpathSync, statSync } from "node:fs";
import * as path from "node:path";

/** Whether there is a file at a path. */
export function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Whether there is a folder at a path. */
export function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Whether a file lies in one of some folders, by its name or through links.
 *
 * The interpreter of an environment is itself a link out of it, and still loads what the environment holds. So both the
 * folder that the file is named in and the file that is meant in the end are looked at.
 */
export function liesIn(file: string, folders: readonly string[]): boolean {
  const places = [path.resolve(file), path.join(real(path.dirname(file)), path.basename(file)), real(file)];
  return folders.some((folder) =>
    [path.resolve(folder), real(folder)].some((root) => places.some((place) => isBelow(place, root))),
  );
}

function isBelow(place: string, root: string): boolean {
  const way = path.relative(root, place);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}
