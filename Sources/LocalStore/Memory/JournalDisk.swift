import Foundation
import SystemLibraries

/// The calls to the system that a journal is written with, so that a test can let one fail. Each returns what the
/// system's own does: a negative number, with the reason in `errno`, when it fails.
package struct JournalDisk: Sendable {
    /// Writes bytes to an open file, from an offset on; returns how many, which may be fewer.
    package var write: @Sendable (_ file: CInt, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    /// Cuts or lengthens an open file.
    package var truncate: @Sendable (_ file: CInt, _ size: Int) -> CInt
    /// Waits until the disk has all of an open file or folder.
    package var synchronize: @Sendable (_ file: CInt) -> CInt
    /// Gives a file the name of another one, which is gone then, in one step.
    package var rename: @Sendable (_ path: String, _ other: String) -> CInt

    /// The system's own calls.
    package static let system = JournalDisk(
        write: { pwrite($0, $1.baseAddress, $1.count, off_t($2)) }, truncate: { ftruncate($0, off_t($1)) },
        synchronize: { DiskSynchronization.wait(for: $0) }, rename: { Foundation.rename($0, $1) })
}
